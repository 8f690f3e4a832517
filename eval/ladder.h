// The rating table of a round robin, as `rate` prints it and `report` draws it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/rating.h"
#include "eval/round_robin.h"

namespace quarto {

struct Ladder {
  const RoundRobin& round_robin;
  Field field;
  std::optional<std::size_t> anchor;  // the player with rating 0; none: the mean has it
  Ratings ratings;
  std::vector<std::size_t> order;  // by descending rating
  bool complete;

  // The points of the row's player against the column's, by place in field.names; nothing where they have not played.
  std::vector<std::vector<std::optional<double>>> shares() const;
};

// From random play to exact play. rollout:3000 is the level of a player on the web.
const std::vector<std::string>& default_field();

// With fewer openings the intervals of the bootstrap are visibly too narrow.
inline constexpr int kFewOpenings = 20;

// Throws RoundRobinError for an anchor that rated() would not take by this name.
void require_anchor(const std::string& anchor, const std::vector<std::string>& players);

// Rates the players with games. `anchor` names the player with rating 0; without such a player it is `oneply`, else the
// first named, and with "mean" none. The round robin must outlive the ladder and have a pairing that was played. Throws
// NotLinked for an unfinished one whose games do not link all who have played: workers end theirs in any order.
Ladder rated(const RoundRobin& round_robin, const std::string& anchor, bool complete);

// What `rate --json` writes.
nlohmann::ordered_json to_json(const Ladder& ladder);

}  // namespace quarto
