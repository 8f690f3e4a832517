#include "app/sharing.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "app/screen.h"
#include "app/store_option.h"
#include "base/progress.h"
#include "base/tell.h"
#include "model/evaluators.h"
#include "model/runtime.h"

namespace quarto::app {
namespace {

// A line of progress may be there, drawn by another thread.
void say(const std::string& line) { tell("{}{}\n", stderr_is_terminal() ? "\r\033[K" : "", line); }

// The same for the same job, so that one that was killed is gone on with.
std::string id_of(const Job& job, const std::string& out) {
  const std::string where = out.empty() ? "" : std::filesystem::absolute(out).lexically_normal().string();
  const std::string all =
      job.kind + "\n" + (job.identity.is_null() ? job.settings : job.identity).dump() + "\n" + where;
  return store::fingerprint_text(store::fingerprint(all)) + store::fingerprint_text(store::fingerprint(all, 1));
}

void say_not_told(const std::string& store, bool finished) {
  say(fmt::format(
      "{} does not answer, so it could not be told that this {}. Workers that still wait for it stop when "
      "the job is removed: quartozero store {} --clear",
      store, finished ? "job has ended" : "process leaves its job, with which the same command goes on", store));
}

// A worker that stands elsewhere.
class Borrowed final : public store::ShareWorker {
 public:
  explicit Borrowed(store::ShareWorker& worker) : worker_(worker) {}
  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    return worker_.work(input, stop);
  }

 private:
  store::ShareWorker& worker_;
};

}  // namespace

void SharingOptions::add_to(CLI::App& command) {
  CLI::Option* url = add_store_option(
      command, store,
      "give shares of the work to workers elsewhere (quartozero worker) through this store; the result is the same");
  add_lease_option(command, lease, "a worker's shares are given to others when it has not been heard of for so long")
      ->needs(url);
  command.add_flag("--only-coordinate", only_coordinate, "with --store: leave all the work to workers elsewhere")
      ->needs(url);
}

void SharingOptions::require_processor(const std::string& device, bool networks) const {
  if (wanted() && networks && resolve_device(device) != "cpu") {
    throw PlayerError(
        "with --store the players are those of many machines, which compute alike on processors alone: --device cpu");
  }
}

void tell_ended(const SharingOptions& options, const Job& job, const std::string& out) {
  if (!store::tell_finished(store_connector(options.store), id_of(job, out)))
    say_not_told(shown_store(options.store), true);
}

Sharing::Sharing(const SharingOptions& options, Job job, const std::string& out, WorkerSettings own)
    : store_(shown_store(options.store)) {
  // One that only coordinates needs no memory but for the probe.
  if (options.only_coordinate) own.threads = 1, own.table_bytes = std::size_t{16} << 20;
  own.load = network_loader("cpu");
  std::shared_ptr<JobWorker> local = make_worker(job.kind, job.settings, job.kit, own);
  if (job.probe.empty()) job.probe = local->probe();
  store::Coordinator::Options all;
  all.connect = store_connector(options.store);
  all.card.build = store::store_build(QUARTOZERO_VERSION);
  all.card.kind = job.kind;
  all.card.config = job.settings.dump();
  all.card.fingerprint = store::fingerprint_text(store::fingerprint(all.card.config));
  all.card.probe = job.probe;
  all.card.id = id_of(job, out);
  all.kit = job.kit;
  all.check = job.check;
  all.patience = options.lease;
  all.say = say;
  all.workers_command = "quartozero worker --store " + store_;
  coordinator_ = std::make_unique<store::Coordinator>(all);
  if (options.only_coordinate) return;
  local_ = std::thread([this, options, card = all.card, worker = std::move(local)] {
    store::WorkerOptions mine;
    mine.connect = store_connector(options.store);
    mine.version = QUARTOZERO_VERSION;
    mine.name = host_name("coordinator");
    mine.only = card;
    mine.stop = &stop_;
    mine.make = [&](const store::RunCard&) {
      return store::make_share_work(mine.name, [&](const store::Kit&) { return std::make_unique<Borrowed>(*worker); });
    };
    try {
      // The job may look finished to one that comes before it has begun; and it is only over when it is stopped.
      mine.keep = true;
      store::work_for_store(mine);
    } catch (...) {
      coordinator_->fail(std::current_exception());
    }
  });
}

Sharing::~Sharing() { close(store::RunPhase::stopped); }

void Sharing::finish() { close(store::RunPhase::finished); }

void Sharing::close(store::RunPhase phase) {
  if (closed_) return;
  closed_ = true;
  stop_ = true;
  if (local_.joinable()) local_.join();
  if (coordinator_->close(phase)) return;
  const store::CoordinatorFigures last = coordinator_->figures();
  const bool finished = phase == store::RunPhase::finished;
  // Not what was stopped before it asked for anything.
  if (!last.failed && (finished || last.connected || last.outages > 0)) say_not_told(store_, finished);
}

std::string Sharing::note() const {
  const store::CoordinatorFigures now = coordinator_->figures();
  if (!now.connected) return "the store does not answer";
  return now.actors == 0 ? "no worker" : counted(now.actors, "worker");
}

}  // namespace quarto::app
