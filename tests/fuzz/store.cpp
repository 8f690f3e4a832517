// What comes from the store: games, weights, shares, kits, ranges, addresses. The first byte chooses; games are also
// tried with a right checksum and compressed as an actor would, and shares with a right checksum.
#include "store/store.h"

#include <zstd.h>

#include <cstring>
#include <string>

#include "base/checksum.h"
#include "store/url.h"
#include "store/wire.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quarto;
using namespace quarto::store;

void games(std::string_view bytes) {
  for (const GameRules& rules :
       {GameRules{}, GameRules{.rules = Rules::squares, .random_start_pieces = 12, .end_early = true}}) {
    try {
      const GamesMessage message = decode_games(bytes, rules);
      fuzz::require(message.games.size() == message.range.count);
      for (const GameRecord& game : message.games) {
        Position p = game.start;
        for (const Move move : game.moves) {
          fuzz::require(p.is_legal(move));
          p.play(move);
        }
        for (const Sample& sample : game.samples) fuzz::require(sample.fault() == nullptr);
      }
      const GamesMessage again = decode_games(encode_games(message), rules);
      fuzz::require(again.games == message.games && again.actor == message.actor);
    } catch (const WireError&) {
    }
  }
}

std::string with_checksum(std::string_view magic, const std::string& rest) {
  const std::uint32_t sum = crc32c(rest);
  return std::string(magic) + std::string(reinterpret_cast<const char*>(&sum), sizeof sum) + rest;
}

void raw_games(std::string_view raw) {
  std::string frame(ZSTD_compressBound(raw.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), 1));
  const auto size = static_cast<std::uint32_t>(raw.size());
  games(with_checksum("QZGAMES1", std::string(reinterpret_cast<const char*>(&size), sizeof size) + frame));
}

void weights(std::string_view bytes) {
  try {
    const WeightsMessage message = decode_weights(bytes);
    fuzz::require(encode_weights(message) == bytes);
  } catch (const WireError&) {
  }
}

void input(std::string_view bytes) {
  try {
    fuzz::require(encode_input(decode_input(bytes)) == bytes);
  } catch (const WireError&) {
  }
}

void share(std::string_view bytes) {
  try {
    const ShareMessage message = decode_share(bytes);
    const ShareMessage again = decode_share(encode_share(message));
    fuzz::require(again.number == message.number && again.input == message.input && again.result == message.result &&
                  again.worker == message.worker && again.seconds == message.seconds);
  } catch (const WireError&) {
  }
}

void kit(std::string_view bytes) {
  try {
    const Kit files = decode_kit(bytes);
    fuzz::require(decode_kit(encode_kit(files)) == files);
  } catch (const WireError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  switch (data[0]) {
    case 'g':
      games(bytes);
      break;
    case 'r':
      raw_games(bytes);
      break;
    case 'w':
      weights(bytes);
      break;
    case 'i':
      input(bytes);
      input(with_checksum("QZINPUT1", std::string(bytes)));
      break;
    case 's':
      share(bytes);
      share(with_checksum("QZSHARE1", std::string(bytes)));
      break;
    case 'k':
      kit(bytes);
      break;
    case 'n':
      if (const auto range = parse_range(bytes)) fuzz::require(text_of(*range) == bytes);
      break;
    default:
      try {
        const StoreUrl url = parse_store_url(bytes);
        fuzz::require(!url.host.empty() && url.port != 0 && url.shown().find('@') == std::string::npos);
      } catch (const StoreError&) {
      }
  }
  return 0;
}
