#include "data/sample.h"

#include <algorithm>
#include <cmath>

#include "env/stored_position.h"

namespace quarto {

Sample Sample::of(const Position& position, const std::array<float, kMoves>& policy, float root_value) {
  Sample s;
  s.attributes = position.attributes();
  s.occupied = position.occupied();
  s.hand = position.has_hand() ? static_cast<std::uint8_t>(position.hand()) : 0xFF;
  s.rules = static_cast<std::uint8_t>(position.rules());
  for (std::size_t m = 0; m < kMoves; ++m) {
    s.policy[m] = static_cast<std::uint16_t>(std::lround(std::clamp(policy[m], 0.0F, 1.0F) * 65535.0F));
  }
  s.root_value = static_cast<std::int16_t>(std::lround(std::clamp(root_value, -1.0F, 1.0F) * 32767.0F));
  return s;
}

const char* Sample::fault() const {
  if (!is_rules(rules)) return "no such rules";
  if (const char* wrong = stored_position_fault(static_cast<Rules>(rules), attributes, occupied, hand)) return wrong;
  const Mask legal = position().legal_moves();
  for (std::size_t m = 0; m < kMoves; ++m) {
    if (policy[m] != 0 && !(legal >> m & 1)) return "a share for an illegal move";
  }
  if (outcome < -1 || outcome > 1) return "no such outcome";
  if (skip > (kSkipPolicy | kSkipOutcome)) return "skip has an unknown bit";
  return nullptr;
}

Position Sample::position() const { return stored_position(static_cast<Rules>(rules), attributes, occupied, hand); }

std::array<float, kMoves> Sample::policy_shares() const {
  std::array<float, kMoves> shares{};
  float sum = 0;
  for (std::size_t m = 0; m < kMoves; ++m) {
    shares[m] = static_cast<float>(policy[m]);
    sum += shares[m];
  }
  for (float& share : shares) share /= std::max(sum, 1.0F);
  return shares;
}

}  // namespace quarto
