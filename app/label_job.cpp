// Jobs of the kind label: exact values of many positions (data/label_share.h).
#include <algorithm>

#include "app/job.h"
#include "data/label_share.h"
#include "data/position_bytes.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "solver/book.h"

namespace quarto::app {
namespace {

class LabelWorker final : public JobWorker {
 public:
  LabelWorker(Rules rules, const WorkerSettings& own)
      : rules_(rules), solver_({.table_bytes = own.table_bytes, .threads = own.threads, .books = Books::shipped()}) {}

  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    require_input([&] { (void)positions_of_label_share(input, rules_); });
    SolveLimits limits;
    limits.stop = &stop;
    return label_share(input, rules_, solver_, limits);
  }

  std::string probe() override {
    Rng rng(1);
    std::vector<Position> positions;
    for (int i = 0; i < 32; ++i) positions.push_back(random_position_at(18 + i % 8, rng, rules_));
    return store::fingerprint_text(store::fingerprint(label_share(position_bytes(positions), rules_, solver_, {})));
  }

 private:
  Rules rules_;
  Solver solver_;
};

}  // namespace

std::unique_ptr<JobWorker> make_label_worker(const nlohmann::json& settings, const WorkerSettings& own) {
  return std::make_unique<LabelWorker>(parse_rules(settings.at("rules").get<std::string>()), own);
}

}  // namespace quarto::app
