// The levels that people choose among, in words: one table for the page and the terminal. From the weakest to the
// strongest; docs/web.md says how they were measured.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/rules.h"

namespace quarto {

inline constexpr std::string_view kUniformNetwork = "uniform";  // no network: equal priors

// What a level is, by the numbers that a player's name (play/player.h) is made of.
struct Level {
  std::string_view name;     // "beginner": a word that people are shown too
  std::string_view network;  // of the shipped ones, or kUniformNetwork; "": the next two play
  int lookahead = 0;         // plies of lookahead:N; 0: the one-ply rule
  int careless = 0;          // percent of decisions made without looking
  int simulations = 0;       // of the network's search; 0: the raw network
  int exact_squares = 0;     // exact play from so many empty squares on

  bool sharp() const { return exact_squares > 0; }  // of exact play (play/sharp.h)
};

// Never empty; the names differ.
std::span<const Level> levels(Rules rules);
// Of this name; nullptr if these rules have none.
const Level* find_level(std::string_view name, Rules rules);
std::vector<std::string> level_names(Rules rules);

// As a player's name, e.g. "endgame:11,sharp:light:FOLDER/zero/model.light". `checkpoints` is the folder of the shipped
// networks.
std::string player_of(const Level& level, std::string_view checkpoints = "checkpoints");

}  // namespace quarto
