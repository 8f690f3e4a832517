// play: choosing a move, every player by name, the player for C++ programs; no LibTorch
// Uses: base, env, solver, mcts, light.
// Promises: One function chooses the moves of networks (play/choose.h), whatever program asks. Networks reach it
// through a loader that is handed in (env/network_loader.h). No output, no exit, only exceptions.
//
// This header: the Player interface, and players by name; play/player_table.cpp has the names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "env/network_loader.h"
#include "light/weights.h"
#include "mcts/search.h"
#include "play/clock.h"
#include "play/strangler.h"

namespace quarto {

struct ExactMemory;  // perfect.h
class SharedSolver;  // shared_solver.h

// Not thread-safe as an object; may use threads inside.
class Player {
 public:
  virtual ~Player() = default;
  virtual std::string name() const = 0;
  // One move per position; none may be terminal. Every position is looked at afresh: nothing is kept of the last one
  // but a cache of exact values. Throws PlayerFailed, and std::runtime_error when a device or a file fails.
  virtual std::vector<Move> choose(std::span<const Position> positions) = 0;
  // One move by the clock of a whole game (play/clock.h). Networks, with a search or without, `uniform` and `endgame`
  // spend the time: N then is the most simulations of a decision, and 0 means as many as there is time for. Engines are
  // told the clock, and `careless` hands it on. All others take the time they take.
  virtual Move choose_by_clock(const Position& position, const GameClock&) { return choose({&position, 1}).at(0); }
  // Takes memory, fills tables and starts programs now, so that the first move by the clock takes no longer than the
  // others. Throws PlayerFailed.
  virtual void prepare() {}
  // How many positions to hand over at once, so that a caller can show progress between the calls of slow players.
  virtual std::size_t preferred_batch() const { return 1024; }
  // The same position always gets the same move, and images of a position get images of the move.
  virtual bool deterministic() const { return false; }
  // But for the last bit of LibTorch's arithmetic, which depends on what is computed together.
  virtual bool depends_on_batch() const { return false; }
  // Plays exactly from so many empty squares on.
  virtual int exact_squares() const { return 0; }
  // Proofs that its search asks for about every move that it has, in each decision with at most `squares` empty
  // squares.
  struct Proofs {
    std::uint64_t nodes = 0;  // of each question; 0: no such proofs
    int squares = 0;
    friend bool operator==(const Proofs&, const Proofs&) = default;
  };
  // Where they suffice (solver/proof_bound.h), it finds a move that does not lose, if there is one, and plays a move that
  // is proven not to lose.
  virtual Proofs proofs() const { return {}; }
};

struct PlayerOptions {
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;
  int threads = 1;
  int batch = 128;                                   // positions side by side in one thread
  NetworkLoader load{};                              // of net:PATH; null: light files only
  std::size_t table_bytes = std::size_t{512} << 20;  // of the solver
  SearchConfig search{};
  // Of `perfect`, `perfect:any` and `endgame:E`, when several of them are to remember together; null: each has its own,
  // of table_bytes and threads. No move but by the clock depends on it.
  std::shared_ptr<ExactMemory> exact_memory{};
  // Of a network, with a search or without, by the clock; null: it has its own, of table_bytes and threads.
  std::shared_ptr<SharedSolver> clock_solver{};
  std::chrono::milliseconds engine_patience{60'000};  // the most for a decision of engine:COMMAND without a clock
  // Engines are asked about the canonical image of a position and trusted to say the same each time, so that they are
  // deterministic().
  bool canonical_engines = false;
};

// A player cannot say a move, and says why: an engine's program ended, was too slow, or said what is no move. Who
// organises games gives the game to its opponent. The player may be asked again.
class PlayerFailed : public std::runtime_error {
 public:
  PlayerFailed(std::string player, std::string reason)
      : std::runtime_error(player + ": " + reason), player_(std::move(player)), reason_(std::move(reason)) {}
  const std::string& player() const { return player_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string player_, reason_;
};

// No player has this name, or its parts make no sense. The message lists the valid ones and the nearest.
class PlayerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A name taken apart, without loading anything: what each player needs.
namespace spec {
struct Random {};
struct OnePly {};
struct Lookahead {
  int plies;
};
struct Rollout {
  int playouts;
};
struct Strangler {
  StranglerOptions options{};
};
// Simulations (0: the raw network), and nodes of proof search where the name has them.
struct Search {
  int simulations = 0;
  std::optional<int> proof_nodes{};
};
struct Uniform {
  Search search;
};
struct Network {
  std::string path;  // torchscript:FILE too
  Search search{};
  bool light = false;  // a light file alone
};
struct TimedSolver {
  int milliseconds;
};
struct Perfect {
  bool any = false;
};
struct Endgame {
  int squares;
  std::string player;
  bool sharp = false;
};
struct Careless {
  int percent;
  std::string player;
};
struct Engine {
  std::string command;
  std::optional<int> simulations{};  // without, its own choice
};
}  // namespace spec
using PlayerSpec =
    std::variant<spec::Random, spec::OnePly, spec::Lookahead, spec::Rollout, spec::Uniform, spec::Strangler,
                 spec::Network, spec::TimedSolver, spec::Perfect, spec::Endgame, spec::Careless, spec::Engine>;
PlayerSpec parse_player(const std::string& name);  // throws PlayerError
// A level (play/levels.h), alone or behind endgame:E: and careless:P:, is a word for a player of these rules:
// "endgame:9:casual" is "endgame:9:lookahead:2". Every other name is left as it is. Commands replace the word before
// they use a name, so that what they keep says who played. Throws PlayerError if these rules do not have the level, or
// its network is not there.
std::string without_level(const std::string& name, Rules rules);
// Whether a level of any rules is in the name, as without_level() finds it.
bool names_level(const std::string& name);
// The same of the player behind endgame:E: and careless:P:, if it has them.
PlayerSpec parse_inner_player(const std::string& name);  // throws PlayerError
// Whether the player is this one, with endgame:E: and careless:P: looked through.
template <class Spec>
bool is_player(const std::string& name) {
  return std::holds_alternative<Spec>(parse_inner_player(name));
}
// The network behind the player; nothing for a player without one. Throws PlayerError.
std::optional<spec::Network> network_of(const std::string& name);
// Its file, as make_player() finds it with a loader of checkpoints. Throws PlayerError, and what find_weights() throws.
std::optional<Weights> weights_of(const std::string& name);
// "net:PATH@N"; without simulations "net:PATH", or "net:PATH@0" where what follows an '@' of the path could be taken
// for their number.
std::string network_player(const std::string& path, int simulations);
// "engine:COMMAND" or "engine@N:COMMAND", well formed or not.
bool names_engine(std::string_view name);
// For help texts: the names in a line; and what each player does, a line for each.
std::string player_names();
std::string player_help();
// The order of magnitude of the seconds that a move takes on one core, before any was timed.
double guess_seconds(const PlayerSpec& spec);
// The default search with these changes, "KEY=VALUE", which may come from elsewhere. Throws ConfigError.
SearchConfig search_with(const std::vector<std::string>& changes);
// Whether it uses PlayerOptions::exact_memory.
bool uses_exact_memory(const PlayerSpec& spec);
// The proofs in the search of a player, with endgame:E: and careless:P: looked through: "proof_nodes 2000 proof_squares
// 11 proof_growth 4", "proof_nodes 0", or "" for a player without a search. For files that a later program may go on
// with, in which other numbers may be the default.
std::string proofs_of(const std::string& name, const SearchConfig& search);  // throws PlayerError

// Throws PlayerError; for networks also what options.load throws, and NetworkMismatch when the network was trained for
// other rules than options.rules.
std::unique_ptr<Player> make_player(const std::string& name, const PlayerOptions& options);
// A player over any evaluator, which must outlive it.
std::unique_ptr<Player> make_search_player(std::string name, Evaluator& evaluator, int simulations,
                                           const PlayerOptions& options);

}  // namespace quarto
