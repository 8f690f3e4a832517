// The formats of what travels through the store, and the checks of what comes from it. Little-endian, each with a
// CRC-32C; a checksum finds damage, and the other checks what a stranger made up.
//
// Games, one message for each leased range:
//
//     8 bytes   "QZGAMES1"
//     4 bytes   CRC-32C of all that follows
//     4 bytes   length of the message below
//     the rest  a zstd frame of the message:
//         8  version of the weights         4  CRC-32C of the weights' message
//         8  first number    4  games       1  length of the actor's name, and the name
//         1  figures, 8 bytes each (double): what the actor counted while it played these
//         each game:  8 + 2 + 1 bytes the start (attributes, occupied squares, piece in hand)
//                     1  result   1  moves, one byte each (the slot; the phase follows from the position)
//                     2  samples, 48 bytes each (data/sample.h)
//
// Weights:
//
//     8 bytes   "QZWGHTS1"
//     4 bytes   CRC-32C of all that follows, which games name: it tells apart weights for different configurations
//     4 bytes   CRC-32C of the weights' bytes alone
//     8  version    8  the learner's step    8  fingerprint of the configuration
//     the rest  a safetensors file (model/checkpoint.h); of a job its kit (encode_kit())
//
// The input of a share, and its result, of whatever the job's kind has (data/label_share.h, eval/...):
//
//     8 bytes   "QZINPUT1"                      8 bytes   "QZSHARE1"
//     4  CRC-32C of all that follows            4  CRC-32C of all that follows
//     8  number of the share                    8  number of the share
//     the rest  the input                       8  fingerprint of the input    4  CRC-32C of the weights' message
//                                               1  length of the worker's name, and the name
//                                               8  seconds that it took (double)
//                                               the rest  the result
//
// A kit, the files that a job needs: 4 bytes, their number; of each 2 bytes the length of its name, the name,
// 8 bytes its length, its bytes.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/fnv.h"
#include "data/game.h"
#include "store/ranges.h"

namespace quarto::store {

// What is wrong with bytes from the store, in a few words: "its checksum is wrong", "game 17: move 3 is not legal".
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GamesMessage {
  std::uint64_t version = 0;
  std::uint32_t weights = 0;  // WeightsMessage::checksum
  Range range;
  std::string actor;              // its name, for messages
  std::vector<double> figures;    // not negative
  std::vector<GameRecord> games;  // of the numbers of the range, in order
};

inline constexpr std::size_t kMostName = 64, kMostFigures = 32, kMostSamples = 256;
// The most bytes that a message of games or weights may have.
inline constexpr std::size_t kMostGamesBytes = 2 << 20, kMostWeightsBytes = 256 << 20;

// Requirement: the message is as decode_games() would give it, but for the name and the figures, which are cut.
std::string encode_games(const GamesMessage& message);

// What games of a run are like.
struct GameRules {
  Rules rules = Rules::lines;
  int random_start_pieces = 0;  // 0: all games start from the empty board
  bool end_early = false;       // games may end before the board decides them
};

// Throws WireError. Of an accepted message every game starts where it may and consists of legal moves to its end, every
// sample is of a position of its game, in order, and without a fault (Sample::fault()).
GamesMessage decode_games(std::string_view bytes, const GameRules& rules);

struct WeightsMessage {
  std::uint64_t version = 0, step = 0, fingerprint = 0;
  std::uint32_t checksum = 0;  // of all this
  std::string file;
};
std::string encode_weights(const WeightsMessage& message);  // sets the checksum itself
WeightsMessage decode_weights(std::string_view bytes);      // throws WireError

struct InputMessage {
  std::uint64_t number = 0;
  std::string input;
};
std::string encode_input(const InputMessage& message);
InputMessage decode_input(std::string_view bytes);  // throws WireError

struct ShareMessage {
  std::uint64_t number = 0;
  std::uint64_t input = 0;    // fingerprint()
  std::uint32_t weights = 0;  // WeightsMessage::checksum
  std::string worker{};       // its name, for messages
  double seconds = 0;
  std::string result{};
};
inline constexpr std::size_t kMostShareBytes = 4 << 20;  // of an input or a result
std::string encode_share(const ShareMessage& message);
ShareMessage decode_share(std::string_view bytes);  // throws WireError

using Kit = std::map<std::string, std::string>;  // bytes by name
std::string encode_kit(const Kit& kit);
Kit decode_kit(std::string_view bytes);  // throws WireError

// FNV-1a, 64 bits (Fowler, Noll and Vo): tells configurations and games apart, not strangers.
std::uint64_t fingerprint(std::string_view text, std::uint64_t before = kFnvBasis);
std::string fingerprint_text(std::uint64_t fingerprint);  // 16 hex digits

}  // namespace quarto::store
