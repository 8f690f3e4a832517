// One position as it is stored and learned from.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// 48 bytes, the same in memory and on disk (little-endian), so that a resumed run learns from exactly the same numbers.
//
// Positions that are drawn more often than they come up (SelfPlayConfig::surprise, LabelsConfig) teach the policy; the
// outcome is learned from positions as they come up, since a search asks for the value of those.
struct Sample {
  static constexpr std::uint8_t kSkipPolicy = 1, kSkipOutcome = 2;

  std::uint64_t attributes = 0;              // the position: four bitboards,
  std::uint16_t occupied = 0;                //   occupied squares,
  std::uint8_t hand = 0xFF;                  //   piece in hand, or 0xFF,
  std::uint8_t rules = 0;                    //   rule set
  std::array<std::uint16_t, kMoves> policy;  // the search's move shares, in 1/65535; zero on illegal moves
  std::int8_t outcome = 0;                   // -1, 0, 1 for the player to act: the game's result, or the proven value
  std::uint8_t skip = 0;                     // what is not to be learned from it: kSkipPolicy, kSkipOutcome
  std::int16_t root_value = 0;               // the search's value for the player to act, in 1/32767

  static Sample of(const Position& position, const std::array<float, kMoves>& policy, float root_value);
  // What is wrong with it, where it comes from outside; null if it is a sample: a position that is not over, shares of
  // legal moves only, an outcome. The functions below are undefined for others.
  const char* fault() const;
  Position position() const;
  std::array<float, kMoves> policy_shares() const;  // whatever `skip` says
  float search_value() const { return static_cast<float>(root_value) / 32767.0F; }
  friend bool operator==(const Sample&, const Sample&) = default;
};
static_assert(sizeof(Sample) == 48 && std::is_trivially_copyable_v<Sample>);

// Where a learner draws from.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual Sample draw(Rng& rng) const = 0;
};

}  // namespace quarto
