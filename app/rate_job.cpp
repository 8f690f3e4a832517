// Jobs of the kind rate: pairings of a round robin (eval/round_robin.h).
#include "app/job.h"
#include "app/player_kit.h"
#include "eval/round_robin.h"
#include "model/evaluators.h"
#include "play/perfect.h"

namespace quarto::app {
namespace {

class RateWorker final : public JobWorker {
 public:
  RateWorker(const nlohmann::json& settings, const store::Kit& kit, const WorkerSettings& own)
      : files_(kit), round_robin_(parse_round_robin(settings.at("round_robin").dump())) {
    for (const std::string& player : round_robin_.players) (void)files_.here(player);
    players_.rules = round_robin_.rules;
    // The coordinator's, whatever this machine has: the draws of players with chance depend on how many positions they
    // get at once, and that on their threads.
    players_.threads = players_threads(settings);
    players_.table_bytes = own.table_bytes;
    players_.load = network_loader("cpu");
    if (uses_exact_memory(round_robin_.players)) players_.exact_memory = std::make_shared<ExactMemory>(players_);
  }

  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    require_input([&] { (void)pairing_of_input(input, round_robin_); });
    return pairing_share(
        input, round_robin_, players_, [this](const std::string& player) { return files_.here(player); }, stop);
  }

  std::string probe() override {
    std::vector<std::string> here;
    for (const std::string& player : round_robin_.players) here.push_back(files_.here(player));
    return player_probe(here, players_);
  }

 private:
  KitFiles files_;
  RoundRobin round_robin_;
  PlayerOptions players_;
};

}  // namespace

std::unique_ptr<JobWorker> make_rate_worker(const nlohmann::json& settings, const store::Kit& kit,
                                            const WorkerSettings& own) {
  return std::make_unique<RateWorker>(settings, kit, own);
}

}  // namespace quarto::app
