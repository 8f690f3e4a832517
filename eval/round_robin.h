// Round robins: a match between every two of several players, all from the same openings. The results are kept as a
// text from which the round robin can be continued. rating.h computes the ratings.
//
// Every pairing is play_match() as `quartozero match A B` with the same options plays it, independent of the other
// pairings. So a round robin that was interrupted and continued has the same results as an uninterrupted one, and each
// match can be played again alone. (Players that depend on the clock, such as solver:MS, are exceptions.)
//
// The text is JSON:
//
//     {"format": "quarto-round-robin/1", "games": 100, "opening_plies": 4, "rules": "lines", "seed": 0,
//      "clock": "10+0.1",                                   only of games by the clock (play/clock.h)
//      "players": ["oneply", "net:a/best@32", ...],
//      "networks": {"net:a/best@32": "1f3c09aa"},            checksum of the weights
//      "proofs": {"net:a/best@32": "proof_nodes 0"},         of those with a search (play/player.h)
//      "pairings": [{"a": "oneply", "b": ..., "results": "WDLL...", "distinct_games": 98, "seconds": 12.5}]}
//
// A pairing in which a player failed also has "a_forfeits" or "b_forfeits", a number, and "a_failure" or "b_failure",
// why it did the first time.
//
// `results` are those of `a`, game by game; games 2k and 2k + 1 are the pair from opening k.
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

#include "base/shares.h"
#include "eval/rating.h"
#include "eval/statistics.h"
#include "play/player.h"

namespace quarto {

// The players, the text or its options do not fit this round robin. The message says what differs.
class RoundRobinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PairingResult {
  std::string a, b;
  std::vector<PairScore> pairs;          // points of a
  int distinct_games = 0;                // number of different move sequences
  double seconds = 0;                    // wall clock
  int a_forfeits = 0, b_forfeits = 0;    // games lost because the player failed (PlayerFailed)
  std::string a_failure{}, b_failure{};  // why, the first time
};

struct RoundRobin {
  std::vector<std::string> players;
  int games = 100;  // per pairing; even
  int opening_plies = 4;
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;
  std::optional<GameClock> clock{};               // of each player and game (eval/match.h)
  std::map<std::string, std::string> networks{};  // checksum of the weights by the player's name
  std::map<std::string, std::string> proofs{};    // proofs_of() those with a search, by the player's name
  std::vector<PairingResult> played{};            // in the order of unplayed() before any game
};

inline constexpr std::size_t kMostPlayers = 256;  // a rating takes seconds with so many
inline void require_few_players(std::size_t players) {
  if (players > kMostPlayers)
    throw RoundRobinError(std::to_string(players) + " players are too many for a round robin: at most " +
                          std::to_string(kMostPlayers));
}

// Checks the names, sets the checksums of networks and the proofs of the default search, and rounds `games` up to whole
// pairs. "net:PATH@0" becomes "net:PATH", which is the same player. Throws RoundRobinError for fewer than two players,
// for more than kMostPlayers and for one named twice, PlayerError for unknown ones, and what weights_of() and
// read_file() throw when a network file is missing.
RoundRobin make_round_robin(RoundRobin asked);

// The unplayed pairings, as indices in `players`, in the order of play. The order keeps all players with games linked
// by games, whenever the round robin is stopped.
std::vector<std::pair<std::size_t, std::size_t>> unplayed(const RoundRobin& round_robin);

std::string to_text(const RoundRobin& round_robin);
// Whether the text says that it is one, whatever else is in it.
bool is_round_robin(const std::string& text);
// Throws RoundRobinError with the reason.
RoundRobin parse_round_robin(const std::string& text);

// Copies the results of `earlier`. `round_robin` may have additional players; otherwise the two must be equal,
// including the weights of networks and the proofs. So the end is that of a round robin that had all players from the
// start. Throws RoundRobinError with every difference.
void continue_from(RoundRobin& round_robin, const RoundRobin& earlier);

struct RoundRobinProgress {
  std::size_t pairing = 0, pairings = 0;  // the present one, from 1; all, including those played earlier
  std::string a, b;
  std::uint64_t moves = 0, expected_moves = 0;  // of this call
  // Estimated from the time of each player's moves so far, and from a guess for players that have not moved.
  std::optional<double> seconds_left{};
};

struct RoundRobinHooks {
  const std::atomic<bool>* stop = nullptr;                       // stops the round robin when it becomes true
  std::function<void(const RoundRobinProgress&)> on_progress{};  // on the calling thread
  std::function<void(const RoundRobin&)> on_pairing{};           // after each pairing, e.g. to save the results
};

// Plays the unplayed pairings. The round robin's rules and seed replace those of `options`. `perfect` and `perfect:any`
// share one table of options.table_bytes. Returns false when it was stopped; then the unfinished pairing is not in
// `played`. Throws what make_player and the players throw.
bool play_round_robin(RoundRobin& round_robin, PlayerOptions options, const RoundRobinHooks& hooks = {});

// The same in shares (base/shares.h), one for each pairing, whose results may come in any order. No player is made
// here.
bool play_round_robin(RoundRobin& round_robin, Shares& shares, const RoundRobinHooks& hooks = {});

// The shares' input, text for people as well: {"a": NAME, "b": NAME}; and the result of one, a pairing as in the text
// above. `here` gives the name by which a player is to be made on this machine. `options` as for play_round_robin(), of
// which exact_memory is used. Once `stop` is set it may return anything. Throws RoundRobinError for two that are not
// players of the round robin, and what make_player() and the players throw.
std::string pairing_share(const std::string& input, const RoundRobin& round_robin, PlayerOptions options,
                          const std::function<std::string(const std::string&)>& here, const std::atomic<bool>& stop);
// The two of an input. Throws RoundRobinError for what is none.
std::pair<std::string, std::string> pairing_of_input(const std::string& input, const RoundRobin& round_robin);
// What a result says. Throws RoundRobinError unless it is one of these two with as many games as asked for. Whether the
// games were played it does not check.
PairingResult pairing_of_share(const std::string& input, const RoundRobin& round_robin, const std::string& result);
// Whether some of these players use PlayerOptions::exact_memory.
bool uses_exact_memory(const std::vector<std::string>& players);

// The players with at least one game, in the order of `players`, and their pairings: the arguments of rate().
struct Field {
  std::vector<std::string> names;
  std::vector<Pairing> pairings;
};
Field field_of(const RoundRobin& round_robin);

}  // namespace quarto
