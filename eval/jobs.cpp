#include "eval/jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/option_limits.h"
#include "base/printable.h"
#include "data/label_share.h"
#include "data/position_bytes.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "eval/exploit_share.h"
#include "eval/player_kit.h"
#include "play/perfect.h"
#include "solver/book.h"

namespace quarto {
namespace {

constexpr const char *kLabel = "label", *kExploit = "exploit", *kRate = "rate";

Rules rules_in(const nlohmann::json& settings) { return parse_rules(settings.at("rules").get<std::string>()); }

WalkSettings walk_settings(const nlohmann::json& settings) {
  return {rules_in(settings), integer_in(settings.at("solve_squares"), 0, kSquares),
          integer_in(settings.at("exact_squares"), 0, kSquares)};
}

// The coordinator's threads, for players whose moves depend on them.
int threads_in(const nlohmann::json& settings) { return integer_in(settings.at("threads"), 1, kMostThreads); }

// What `check` throws says why the input is none of this job.
template <class Check>
void require_input(const Check& check) {
  try {
    (void)check();
  } catch (const std::runtime_error& e) {
    throw store::WireError(e.what());
  }
}

Solver solver_of(const WorkerSettings& own) {
  return Solver({.table_bytes = own.table_bytes, .threads = own.threads, .books = Books::shipped()});
}

class LabelWorker final : public JobWorker {
 public:
  LabelWorker(const nlohmann::json& settings, const WorkerSettings& own)
      : rules_(rules_in(settings)), solver_(solver_of(own)) {}

  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    require_input([&] { return positions_of_label_share(input, rules_); });
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

class ExploitWorker final : public JobWorker {
 public:
  ExploitWorker(const nlohmann::json& settings, const store::Kit& kit, const WorkerSettings& own)
      : files_(kit),
        name_(files_.here(settings.at("player").get<std::string>())),
        settings_(walk_settings(settings)),
        solver_(solver_of(own)) {
    players_.rules = settings_.rules;
    if (!settings.at("seed").is_number_unsigned()) throw PlayerError("no such seed");
    players_.seed = settings.at("seed").get<std::uint64_t>();
    players_.search = search_with(settings.at("search").get<std::vector<std::string>>());
    players_.threads = settings.contains("threads") ? threads_in(settings) : own.threads;
    players_.table_bytes = own.table_bytes;
    players_.load = own.load;
    player_ = make_player(name_, players_);
    if (!player_->deterministic() || player_->exact_squares() != settings_.exact_squares)
      throw PlayerError("the player is not the coordinator's");
  }

  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    require_input([&] { return walk_share_of(input, settings_); });
    return walk_share(input, *player_, solver_, settings_, &stop);
  }

  std::string probe() override { return player_probe({name_}, players_); }

 private:
  KitFiles files_;
  std::string name_;
  WalkSettings settings_;
  PlayerOptions players_;
  std::unique_ptr<Player> player_;
  Solver solver_;
};

class RateWorker final : public JobWorker {
 public:
  RateWorker(const nlohmann::json& settings, const store::Kit& kit, const WorkerSettings& own)
      : files_(kit), round_robin_(parse_round_robin(settings.at("round_robin").dump())) {
    for (const std::string& player : round_robin_.players) here_.push_back(files_.here(player));
    players_.rules = round_robin_.rules;
    // The coordinator's, whatever this machine has: the draws of players with chance depend on how many positions they
    // get at once, and that on their threads.
    players_.threads = threads_in(settings);
    players_.table_bytes = own.table_bytes;
    players_.load = own.load;
    if (uses_exact_memory(round_robin_.players)) players_.exact_memory = std::make_shared<ExactMemory>(players_);
  }

  std::string work(const std::string& input, const std::atomic<bool>& stop) override {
    require_input([&] { return pairing_of_input(input, round_robin_); });
    return pairing_share(
        input, round_robin_, players_, [this](const std::string& player) { return files_.here(player); }, stop);
  }

  std::string probe() override { return player_probe(here_, players_); }

 private:
  KitFiles files_;
  RoundRobin round_robin_;
  std::vector<std::string> here_;
  PlayerOptions players_;
};

}  // namespace

Job label_job(const LabelJob& job) {
  return {.kind = kLabel,
          // The book is the shipped one everywhere: no value depends on it.
          .settings = {{"rules", to_string(job.rules)}, {"job", store::fingerprint_text(fingerprint(job))}},
          .check = [rules = job.rules](const std::string& input, const std::string& result) {
            (void)labels_of_share(input, rules, result);
          }};
}

Job exploit_job(const std::string& player, const std::vector<std::string>& search, std::uint64_t seed,
                bool depends_on_batch, const ExploitOptions& options) {
  Job job{.kind = kExploit,
          .settings = {{"player", player},
                       {"identity", options.identity},
                       {"rules", to_string(options.rules)},
                       {"seed", seed},
                       {"search", search},
                       {"solve_squares", options.solve_squares},
                       {"exact_squares", options.exact_squares}},
          .kit = kit_of({player}),
          .probe = options.probe};
  // How many positions its network computes together depends on them; a walk may go on with others.
  if (depends_on_batch) {
    job.identity = job.settings;
    job.settings["threads"] = options.threads;
  }
  job.check = [settings = walk_settings(job.settings)](const std::string& input, const std::string& result) {
    (void)answers_of_share(input, settings, result);
  };
  return job;
}

Job rate_job(const RoundRobin& round_robin, int threads, bool kept) {
  RoundRobin unplayed = round_robin;
  unplayed.played.clear();
  Job job{.kind = kRate,
          .settings = {{"round_robin", nlohmann::json::parse(to_text(unplayed))}, {"threads", threads}},
          .kit = kit_of(unplayed.players)};
  if (kept) {
    for (const char* key : {"format", "games", "opening_plies", "rules", "seed"})
      job.identity[key] = job.settings.at("round_robin").at(key);
  }
  job.check = [unplayed](const std::string& input, const std::string& result) {
    (void)pairing_of_share(input, unplayed, result);
  };
  return job;
}

std::unique_ptr<JobWorker> make_worker(const std::string& kind, const nlohmann::json& settings, const store::Kit& kit,
                                       const WorkerSettings& own) {
  if (kind == kLabel) return std::make_unique<LabelWorker>(settings, own);
  if (kind == kExploit) return std::make_unique<ExploitWorker>(settings, kit, own);
  if (kind == kRate) return std::make_unique<RateWorker>(settings, kit, own);
  throw store::WorkerRefused(
      fmt::format("the store holds a job of the kind '{}', which this program does not know", printable(kind, 20)));
}

std::unique_ptr<store::ShareWorker> make_job_worker(const store::RunCard& card, const store::Kit& kit,
                                                    const WorkerSettings& own) {
  std::unique_ptr<JobWorker> worker;
  try {
    worker = make_worker(card.kind, parse_json(card.config), kit, own);
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

}  // namespace quarto
