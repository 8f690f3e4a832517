// Thinking about one position: what a network and a search over it make of it, with all that a board wants to show.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "env/evaluator.h"
#include "mcts/search.h"

namespace quarto {

struct Thought {
  Move best{};
  // The raw network's opinion, for the player to act. Its priors are 0..1 over the legal moves.
  Evaluation network{};
  // For the player to act, -1..1: exact if proven, else the search's mean, or the network's without a search.
  float value = 0;
  std::optional<Value> proven{};
  // Every legal move, in order of its index. `prior` is the search's (0 for moves that the rules refute at once);
  // without a search it is the network's, and visits and values are 0.
  std::vector<RootMove> moves{};
  std::vector<Move> line{};  // what the search expects from here on, `best` first
  int simulations = 0;
  double seconds = 0;
};

struct ThinkLimits {
  // 0: the raw network's choice, without a search. nullopt: as many as there is time for, and at most kMostSimulations.
  std::optional<int> simulations = 0;
  std::chrono::milliseconds time{0};        // of the search; 0: no limit
  const std::atomic<bool>* stop = nullptr;  // set by anyone; looked at after every simulation
  // Called on the thinking thread a few times a second while a search goes on.
  std::function<void(const Thought&)> on_progress{};
};

inline constexpr int kMostSimulations = 1'000'000;  // a third of a gigabyte of tree

// A search of one position, from a cold tree, without noise: the same limits without a time give the same thought. The
// raw network chooses in the position's canonical image, as everywhere in this project. `position` must not be terminal
// (std::invalid_argument). Safe from several threads at once, the evaluator being so.
Thought think(Evaluator& evaluator, const Position& position, const ThinkLimits& limits = {},
              const SearchConfig& search = {});

}  // namespace quarto
