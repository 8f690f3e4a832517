// What the tests of self-play on many machines share: a small run, its options, and actors in threads.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"
#include "solver/prover.h"
#include "tests/support/eventually.h"
#include "tests/support/memory_store.h"
#include "train/actor.h"
#include "train/trainer.h"

namespace quarto {

inline RunConfig tiny(RunMode mode = RunMode::alternating) {
  RunConfig config;
  config.device = "cpu";
  config.network.width = 16;
  config.network.blocks = 1;
  config.selfplay.simulations = 4;
  config.selfplay.threads = 1;
  config.selfplay.games_in_flight = 8;
  config.selfplay.random_starts = 0.3;
  config.selfplay.surprise = 0.5;
  config.learner.threads = 1;
  config.learner.batch = 64;
  config.learner.reuse = 0.5;
  config.limits.games = 24;
  config.limits.iterations = 4;
  config.limits.mode = mode;
  config.limits.archive_every = 1;
  config.evaluation.every = 0;
  config.check();
  return config;
}

inline const SearchAids kAids{.prover = &solver_prover()};

// An actor in a thread of its own, until it is told to stop, the run has finished, or it fails.
class RunningActor {
 public:
  RunningActor(store::MemoryServer& server, std::string name, int threads = 1, std::string version = "1",
               bool keep = false) {
    options_.connect = [&server] { return server.connect(); };
    options_.version = std::move(version);
    options_.name = std::move(name);
    options_.games = true;
    options_.stop = &stop_;
    options_.make = [threads, name = options_.name](const store::RunCard& card) {
      return make_actor_work(
          card, {.name = name, .device = "cpu", .threads = threads, .aids = [](const RunConfig&) { return kAids; }});
    };
    options_.beat = 0.1;
    options_.keep = keep;
    options_.say = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_ += line + "\n";
    };
    thread_ = std::thread([this] {
      try {
        result = store::work_for_store(options_);
      } catch (const std::exception& e) {
        error = e.what();
      }
    });
  }
  ~RunningActor() {
    stop_ = true;
    join();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void stop() { stop_ = true; }
  bool said(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return said_.find(text) != std::string::npos;
  }
  store::WorkerResult result;
  std::string error;

 private:
  store::WorkerOptions options_;
  mutable std::mutex mutex_;  // guards said_
  std::string said_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

inline TrainOptions options_of(const std::filesystem::path& out, store::MemoryServer* server = nullptr) {
  TrainOptions options{.out = out, .quiet = true, .aids = kAids};
  if (server)
    options.store = StoreOptions{.connect = [server] { return server->connect(); }, .version = "1", .tick = 0.1};
  return options;
}

inline std::string weights_of(const std::filesystem::path& run) {
  return read_file(run / "checkpoint" / "learner.safetensors");
}

}  // namespace quarto
