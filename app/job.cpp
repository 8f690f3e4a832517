#include "app/job.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/option_limits.h"
#include "base/printable.h"

namespace quarto::app {
namespace {

std::unique_ptr<JobWorker> make(const std::string& kind, const nlohmann::json& settings, const store::Kit& kit,
                                const WorkerSettings& own) {
  if (kind == kLabelJob) return make_label_worker(settings, own);
  if (kind == kExploitJob) return make_exploit_worker(settings, kit, own);
  if (kind == kRateJob) return make_rate_worker(settings, kit, own);
  throw store::WorkerRefused(
      fmt::format("the store holds a job of the kind '{}', which this program does not know", printable(kind, 20)));
}

}  // namespace

int players_threads(const nlohmann::json& settings) { return integer_in(settings.at("threads"), 1, kMostThreads); }

void require_input(const std::function<void()>& check) {
  try {
    check();
  } catch (const std::runtime_error& e) {
    throw store::WireError(e.what());
  }
}

std::unique_ptr<store::ShareWorker> make_job_worker(const store::RunCard& card, const store::Kit& kit,
                                                    const WorkerSettings& settings) {
  std::unique_ptr<JobWorker> worker;
  try {
    worker = make(card.kind, parse_json(card.config), kit, settings);
  } catch (const store::WorkerRefused&) {
    throw;
  } catch (const std::exception& e) {
    throw store::WorkerRefused(fmt::format("this program cannot work for the job ({}): {}", printable(card.kind, 20),
                                           printable(e.what(), 500)));
  }
  if (worker->probe() != card.probe) {
    throw store::WorkerRefused(
        "this program answers a question differently that is the same for every worker: use the coordinator's build, "
        "compiled for the same processor (docs/many.md)");
  }
  return worker;
}

}  // namespace quarto::app
