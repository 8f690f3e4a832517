#include "selfplay/game_source.h"

namespace quarto {

nlohmann::json to_json(const GamesState& state) {
  nlohmann::json json = {{"taken", state.taken.intervals()}};
  if (state.run.empty()) return json;
  json["run"] = state.run;
  json["upto"] = state.upto;
  json["weights"] = nlohmann::json::array();
  for (const auto& [version, checksum] : state.weights) json["weights"].push_back({version, checksum});
  return json;
}

GamesState games_state(const nlohmann::json& json) {
  GamesState state;
  for (const auto& [begin, end] : json.at("taken").get<std::vector<store::RangeSet::Interval>>()) {
    if (begin >= end || end > store::kMostGames || (state.taken.size() > 0 && begin <= state.taken.end()))
      throw std::runtime_error("the numbers of the games taken are not in order");
    state.taken.add(begin, end);
  }
  if (!json.contains("run")) return state;
  json.at("run").get_to(state.run);
  json.at("upto").get_to(state.upto);
  for (const auto& [version, checksum] : json.at("weights").get<std::vector<std::pair<std::uint64_t, std::uint32_t>>>())
    state.weights[version] = checksum;
  return state;
}

}  // namespace quarto
