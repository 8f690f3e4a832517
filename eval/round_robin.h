// Round robins: a match between every two of several players, all matches from the same openings, kept in a text that
// can be continued. The ratings that follow from it are in rating.h.
//
// Every pairing is play_match() as `quartozero match A B` with the same options plays it, whatever was played before,
// so a round robin that was cut short and continued ends like one that was not, and each of its matches can be played
// again alone. (Players that go by the clock, such as solver:MS, excepted.)
//
// The text is JSON:
//
//     {"format": "quarto-round-robin/1", "games": 100, "opening_plies": 4, "rules": "lines", "seed": 0,
//      "clock": "10+0.1",                                   only of games by the clock (play/clock.h)
//      "players": ["oneply", "net:a/best@32", ...],
//      "networks": {"net:a/best@32": "1f3c09aa"},            checksum of the weights
//      "pairings": [{"a": "oneply", "b": ..., "results": "WDLL...", "distinct_games": 98, "seconds": 12.5}]}
//
// where results are those of `a`, game by game; games 2k and 2k + 1 are the pair from opening k.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eval/rating.h"
#include "eval/statistics.h"
#include "play/player.h"

namespace quarto {

// Players that make no round robin, a text that is none, or one that was played with other options. The message says
// what differs.
class RoundRobinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PairingResult {
  std::string a, b;
  std::vector<PairScore> pairs;  // points of a
  int distinct_games = 0;        // different sequences of moves among its games
  double seconds = 0;            // wall clock
};

struct RoundRobin {
  std::vector<std::string> players;
  int games = 100;  // of each pairing, even
  int opening_plies = 4;
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;
  std::optional<GameClock> clock{};               // of each player and game (eval/match.h)
  std::map<std::string, std::string> networks{};  // checksum of the weights by the player's name
  std::vector<PairingResult> played{};            // in the order in which they ended
};

// Checks the names, notes the checksums of networks, and rounds `games` up to whole pairs. "net:PATH@0" becomes
// "net:PATH", which is the same player. Throws RoundRobinError for fewer than two players and for one named twice,
// PlayerError for unknown ones, and what weights_file() and read_file() throw when a network is not there.
RoundRobin make_round_robin(RoundRobin asked);

// By their places in `players`, in the order in which they are played: whenever the round robin ends, all who have
// played are linked by games.
std::vector<std::pair<std::size_t, std::size_t>> unplayed(const RoundRobin& round_robin);

std::string to_text(const RoundRobin& round_robin);
// Throws RoundRobinError, which says what is wrong.
RoundRobin parse_round_robin(const std::string& text);

// Takes over what `earlier` has played. Players may have been added since; otherwise the two must be alike, the weights
// of networks included. Throws RoundRobinError that names every difference.
void continue_from(RoundRobin& round_robin, const RoundRobin& earlier);

struct RoundRobinProgress {
  std::size_t pairing = 0, pairings = 0;  // the one being played, from 1; all, those played earlier included
  std::string a, b;
  std::uint64_t moves = 0, expected_moves = 0;  // of this call
  // From what each player's moves took so far, a guess for those that have not moved yet.
  double seconds_left = 0;
};

struct RoundRobinHooks {
  const std::atomic<bool>* stop = nullptr;                       // ends it at the next opportunity
  std::function<void(const RoundRobinProgress&)> on_progress{};  // on the calling thread
  std::function<void(const RoundRobin&)> on_pairing{};           // after each pairing: the time to save
};

// Plays what is unplayed. Of `options`, rules and seed are the round robin's. `perfect` and `perfect:any` share one
// memory, of options.table_bytes. False when it was stopped: the pairing then being played is not in `played`. Throws
// what make_player and the players throw.
bool play_round_robin(RoundRobin& round_robin, PlayerOptions options, const RoundRobinHooks& hooks = {});

// The players with at least one game, in the order of `players`, and their pairings: the arguments of rate().
struct Field {
  std::vector<std::string> names;
  std::vector<Pairing> pairings;
};
Field field_of(const RoundRobin& round_robin);

}  // namespace quarto
