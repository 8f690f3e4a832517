#include "train/run_progress.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/manifest.h"
#include "train/run_directory.h"

namespace quarto {
namespace {
constexpr int kStateVersion = 3;
}  // namespace

nlohmann::json to_json(const RunProgress& p) {
  return {{"format", kStateVersion},
          {"iteration", p.iteration},
          {"games", p.games},
          {"samples", p.samples},
          {"seconds", p.seconds},
          {"first_shard", p.first_shard},
          {"best_iteration", p.best_iteration},
          {"draw_state", p.draw.state()},
          {"loss", p.loss},
          {"agreement", p.agreement},
          {"agreement_iteration", p.agreement_iteration},
          {"finished", p.finished},
          {"source", to_json(p.source)}};
}

namespace {

void refuse_distill(const nlohmann::json& json, const std::filesystem::path& path) {
  if (!json.contains("distill")) return;
  throw RunError(
      fmt::format("'{}' is of a run of `quartozero distill`: go on with `quartozero distill --labels FILE ... --out "
                  "DIR --resume`",
                  path.string()));
}

}  // namespace

void require_self_play(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return;
  refuse_distill(json_or_null(read_file(path)), path);
}

RunProgress progress_from(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& why) {
    return RunError(fmt::format("'{}': {}; the checkpoint is damaged", path.string(), why));
  };
  const auto json = json_or_null(read_checked_file(path));
  if (!json.is_object()) throw fail("not JSON");
  refuse_distill(json, path);
  if (json.value("format", nlohmann::json()) != kStateVersion) {
    throw RunError(
        fmt::format("'{}' is of format version {}, and this program continues version {}: start a new run, which "
                    "can begin with its best/ weights",
                    path.string(), json.value("format", nlohmann::json()).dump(), kStateVersion));
  }
  try {
    RunProgress p;
    json.at("iteration").get_to(p.iteration);
    json.at("games").get_to(p.games);
    json.at("samples").get_to(p.samples);
    json.at("seconds").get_to(p.seconds);
    json.at("first_shard").get_to(p.first_shard);
    p.draw = Rng::from_state(json.at("draw_state").get<Rng::State>());
    p.agreement = json.at("agreement");
    json.at("loss").get_to(p.loss);
    json.at("best_iteration").get_to(p.best_iteration);
    json.at("agreement_iteration").get_to(p.agreement_iteration);
    json.at("finished").get_to(p.finished);
    p.source = games_state(json.at("source"));
    return p;
  } catch (const std::exception& e) {
    throw fail(e.what());
  }
}

}  // namespace quarto
