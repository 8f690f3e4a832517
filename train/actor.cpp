#include "train/actor.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/manifest.h"
#include "base/printable.h"
#include "base/random_hex.h"
#include "base/scratch_directory.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "selfplay/playing_evaluator.h"
#include "train/machine.h"

namespace quarto {
namespace {

RunConfig config_of(const store::RunCard& card) {
  RunConfig config;
  try {
    config::load_yaml(card.config, "the run's configuration in the store", config::visitor_of(config));
    config.check();
  } catch (const ConfigError& e) {
    throw store::WorkerRefused(
        fmt::format("this program does not understand the run's configuration: {}; use the learner's build",
                    printable(e.what(), 500)));
  }
  // A key that the learner does not know would be missing in its text, and be there in ours.
  if (store::fingerprint_text(store::fingerprint(config::to_yaml(config))) != card.fingerprint ||
      store::fingerprint_text(store::fingerprint(card.config)) != card.fingerprint) {
    throw store::WorkerRefused(
        "this program reads the run's configuration differently from the learner's (another set of keys, or damage in "
        "the store); use the learner's build");
  }
  return config;
}

}  // namespace

SelfPlaySettings self_play_settings(const RunConfig& config, const SearchAids& aids) {
  return {config.seed, config.network.rules, config.search, config.selfplay, aids};
}

std::string new_run_id() { return random_hex(4); }

store::RunCard run_card(const std::string& id, const std::string& version, const RunConfig& config,
                        const SearchAids& aids) {
  store::RunCard card;
  card.id = id;
  card.build = store::store_build(version);
  card.config = config::to_yaml(config);
  card.fingerprint = store::fingerprint_text(store::fingerprint(card.config));
  card.probe = play_probe(self_play_settings(config, aids));
  return card;
}

std::unique_ptr<store::Work> make_actor_work(const store::RunCard& card, const ActorOptions& options) {
  RunConfig config = config_of(card);
  config.device = options.device;
  config.learner.device = "cpu";  // the learner is elsewhere
  config.selfplay.threads = options.threads;
  const Machine machine = this_machine(config);
  config = for_machine(std::move(config), machine);
  const SelfPlaySettings settings = self_play_settings(config, options.aids(config));
  if (play_probe(settings) != card.probe && !options.any_build) {
    throw store::WorkerRefused(
        "this program plays differently from the learner's (a game that is the same for every build was not): use "
        "the learner's build, compiled for the same processor, or --any-build if another rounding of numbers is all "
        "there is");
  }
  return make_game_work(
      settings, options.threads, options.name,
      [config, options, said = std::string()](const store::WeightsMessage& message) mutable {
        const ScratchDirectory scratch("actor");
        write_file_atomic(scratch / kWeightsFile, message.file);
        write_manifest(scratch.path());
        try {
          if (read_weights_info(scratch.path()).network.resolved() != config.network.resolved())
            throw store::WireError("they are of another network than the run's");
          auto network = load_evaluator(
              scratch.path(), {.device = options.device, .threads = 1, .precision = config.selfplay.precision});
          if (const std::string by = network->computed_by(); by != said) {
            said = by;
            if (options.say) options.say(fmt::format("games are evaluated by {}", by));
          }
          return std::make_shared<PlayingEvaluator>(std::move(network), config.selfplay, options.threads,
                                                    playing_seed(config.seed, message.version));
        } catch (const CheckpointError& e) {
          throw store::WireError(e.what());
        }
      });
}

}  // namespace quarto
