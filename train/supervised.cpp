#include "train/supervised.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/progress.h"
#include "base/tell.h"
#include "train/display.h"
#include "train/label_source.h"
#include "train/learner.h"
#include "train/metrics.h"
#include "train/run_log.h"
#include "train/steady_learning.h"
#include "train/trainer.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kDistillVersion = 1;

struct State {
  std::uint64_t iteration = 0;
  double seconds = 0;
  Rng draw{0};      // draws samples and their symmetries
  double loss = 0;  // mean of the last iteration's steps; 0: none yet
};

void save_best(const Learner& learner, const fs::path& out) {
  write_directory(out / "best", [&](const fs::path& dir) { learner.save_playing_weights(dir); });
}

nlohmann::json json_of(const std::vector<LabelFile>& files) {
  nlohmann::json json = nlohmann::json::array();
  for (const LabelFile& file : files)
    json.push_back({{"file", file.name}, {"labels", file.labels}, {"crc32c", fmt::format("{:08x}", file.checksum)}});
  return json;
}

// With others the samples would be others. A file may have another name now.
void require_same_labels(const nlohmann::json& state, const std::vector<LabelFile>& files, const fs::path& dir) {
  const nlohmann::json saved = state.value("labels", nlohmann::json());
  const auto same = [](const nlohmann::json& known, const nlohmann::json& now) {
    return known.is_object() && known.value("labels", nlohmann::json()) == now.at("labels") &&
           known.value("crc32c", nlohmann::json()) == now.at("crc32c");
  };
  const nlohmann::json now = json_of(files);
  if (saved.is_array() && std::equal(saved.begin(), saved.end(), now.begin(), now.end(), same)) return;
  throw RunError(
      fmt::format("cannot resume '{}': it learns from other labels; name the same files in the same order: {}",
                  dir.string(), saved.dump(-1, ' ', true)));
}

void save(const Learner& learner, const RunConfig& config, const fs::path& out, const State& state,
          const LabelSource& labels) {
  write_directory(out / "checkpoint", [&](const fs::path& dir) {
    learner.save(dir);
    write_file_atomic(dir / "config.yaml", config::to_yaml(config));
    const nlohmann::json json = {
        {"distill", kDistillVersion},       {"iteration", state.iteration},
        {"seconds", state.seconds},         {"finished", config.limits.reached(state.iteration, state.seconds)},
        {"draw_state", state.draw.state()}, {"loss", state.loss},
        {"labels", json_of(labels.files())}};
    write_file_atomic(dir / "state.json", json_text(json, 2) + "\n");
  });
  save_best(learner, out);
}

State load(Learner& learner, const RunConfig& config, const fs::path& dir, const LabelSource& labels) {
  const RunConfig saved = load_saved_config(dir / "config.yaml");
  if (const std::string why = incompatibility(saved, config); !why.empty()) {
    throw RunError(
        fmt::format("cannot resume '{}': {}; resume with the configuration it was started with, or name "
                    "another directory with --out",
                    dir.string(), why));
  }
  const fs::path run = dir.parent_path();
  const auto json = or_what_is_left(run, [&] { return json_or_null(read_checked_file(dir / "state.json")); });
  if (json.is_object() && !json.contains("distill")) {
    throw RunError(fmt::format("'{}' is of a run of self-play: go on with `quartozero train --out DIR --resume`",
                               (dir / "state.json").string()));
  }
  if (!json.is_object() || json.value("distill", nlohmann::json()) != kDistillVersion) {
    throw RunError(
        fmt::format("'{}' is not the state of a distill run of this version (format {}); start a new run "
                    "with another --out",
                    (dir / "state.json").string(), kDistillVersion));
  }
  State state;
  or_what_is_left(run, [&] { require_same_labels(json, labels.files(), dir); });
  or_what_is_left(run, [&] { learner.load(dir); });
  try {
    json.at("iteration").get_to(state.iteration);
    json.at("seconds").get_to(state.seconds);
    json.at("loss").get_to(state.loss);
    state.draw = Rng::from_state(json.at("draw_state").get<Rng::State>());
  } catch (const std::exception& e) {
    throw RunError(fmt::format("'{}': {}; the checkpoint is damaged", (dir / "state.json").string(), e.what()) +
                   what_is_left(run));
  }
  return state;
}

}  // namespace

DistillResult distill(const RunConfig& given, const DistillOptions& options) {
  RunConfig config = given;
  config.track = Track::distilled;
  config.check();
  const LabelSource labels(options.labels, config.network.rules, config.labels);
  const RunDirectory directory(options.out, options.resume);
  const fs::path& out = directory.path();
  const bool resuming = options.resume && fs::exists(out / "checkpoint");
  const std::unique_ptr<Learner> learner = make_learner(config);
  State state;
  state.draw = Rng(mix_seed(config.seed, 0xD157));
  DistillResult result;
  result.labels = labels.size();
  const auto ended = [&](double seconds) {
    result.iterations = state.iteration;
    result.steps = learner->step_count();
    result.samples = result.steps * static_cast<std::uint64_t>(config.learner.batch);
    result.seconds = seconds;
    result.finished = config.limits.reached(state.iteration, seconds);
    return result;
  };
  std::vector<std::string> changes;
  fs::path kept;
  if (resuming) {
    state = load(*learner, config, out / "checkpoint", labels);
    // A kill between the two directories of a save leaves the older weights here.
    if (!learner->has_saved_playing_weights(out / "best")) save_best(*learner, out);
    result.nothing_left = config.limits.reached(state.iteration, state.seconds);
    if (result.nothing_left) return ended(state.seconds);
    changes = config_changes(load_saved_config(out / "checkpoint" / "config.yaml"), config);
    if (!changes.empty()) kept = keep_configuration(out, state.iteration);
  }
  spdlog::logger log = run_log("distill", out);
  log.info("{} at iteration {}: {} weights", resuming ? "resumed" : "started", state.iteration,
           learner->weight_count());
  for (const LabelFile& file : labels.files())
    log.info("labels {}: {}, CRC-32C {:08x}", file.name, file.labels, file.checksum);
  for (const std::string& change : changes) log.info("{}", change);
  const auto show = [&](const std::string& line) {
    if (options.quiet) return;
    tell("{}\n", line);
  };
  const auto say = [&](const std::string& line) {
    log.info("{}", line);
    show(line);
  };
  if (!kept.empty()) say(fmt::format("the configuration until here is kept in {}", kept.string()));
  const std::string begun = resuming ? "" : begin_with_weights(*learner, config);
  write_file_atomic(out / "config.yaml", config::to_yaml(config));
  Metrics metrics(out, state.iteration);
  if (!begun.empty()) say(begun);
  if (const std::string note = slow_network_note(config); !note.empty()) say(note);
  say(fmt::format("{} weights, {} labels in {} strata", learner->weight_count(),
                  format_count(static_cast<double>(labels.size())), labels.strata()));

  const double before = state.seconds;
  const auto start = Clock::now();
  double measuring = 0;  // seconds of this session; they do not count
  const auto elapsed = [&] { return before + seconds_since(start) - measuring; };
  const auto share_done = [&] { return config.limits.share_done(state.iteration, elapsed()); };
  const auto stopping = [&] { return options.stop && *options.stop; };
  double saved_at = elapsed(), said_at = -1e9;
  const double share_before = share_done();
  // Writes a first checkpoint, so that a disk that cannot be written fails the run at once.
  if (!resuming) save(*learner, config, out, state, labels);
  // Returns what the line of the metrics gets.
  const auto measure = [&] {
    const auto measure_start = Clock::now();
    const nlohmann::json measured = options.measure(*learner->make_evaluator());
    result.agreement = measured.at("agreement");
    measuring += seconds_since(measure_start);
    return measured;
  };
  if (options.measure && !stopping() && state.iteration == 0 && config.evaluation.measures(0)) {
    nlohmann::json fields = {{"seconds", 0}, {"step", 0}, {"positions", 0}};
    fields.update(measure());
    metrics.amend(0, fields);
    say(fmt::format("iteration 0: agreement {}", agreement_text(result.agreement)));
  }
  // Evaluated once per iteration, so that the iteration that it ends is also the one that is measured and saved.
  bool last = share_done() >= 1 || stopping();
  while (!last) {
    const auto [loss, rate] =
        learn_steadily(*learner, kStepsPerIteration, labels, state.draw, scheduled_rate(config.learner, share_done()),
                       state.loss, {}, [&](const std::string& what) { say(what); });
    ++state.iteration;
    state.seconds = elapsed();
    last = share_done() >= 1 || stopping();
    const bool measured = options.measure && config.evaluation.every > 0 && !stopping() &&
                          (last || config.evaluation.measures(state.iteration));
    const double samples = static_cast<double>(learner->step_count()) * config.learner.batch;
    nlohmann::json line = {{"iteration", state.iteration},
                           {"seconds", elapsed()},
                           {"step", learner->step_count()},
                           {"positions", samples},
                           {"lr", rate},
                           {"loss", loss.total},
                           {"loss_place", loss.place},
                           {"loss_give", loss.give},
                           {"loss_outcome", loss.outcome},
                           {"gradient_norm", loss.gradient_norm}};
    if (measured) line.update(measure());
    metrics.write(line);
    if (measured || last || elapsed() - said_at > 10) {
      said_at = elapsed();
      const double done = share_done();
      std::string text = fmt::format(
          "{:.0f}% done, {} left; {} samples ({}/s); loss place {:.3f}, give {:.3f}, outcome {:.3f}", 100 * done,
          done > share_before ? format_duration((elapsed() - before) * (1 - done) / (done - share_before)) : "?",
          format_count(samples), format_count(samples / elapsed()), loss.place, loss.give, loss.outcome);
      if (measured) {
        text += "; agreement " + agreement_text(result.agreement);
      }
      measured || last ? say(text) : show(text);
    }
    if (last || elapsed() - saved_at >= options.save_every) {
      save(*learner, config, out, state, labels);
      saved_at = elapsed();
    }
  }
  return ended(elapsed());
}

}  // namespace quarto
