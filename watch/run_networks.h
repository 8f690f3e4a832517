// The best weights of every run, as networks of the server: "run.night" for runs/night/best. They are loaded when they
// are asked for, and again when a run has written others.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>

#include "env/network_loader.h"
#include "serve/api.h"
#include "watch/runs.h"

namespace quarto::watch {

// The name of a run's network, another one for every run. What a network's name cannot have becomes "-"; a name that
// was changed or shortened ends in a checksum of the run's.
std::string network_name(const std::string& run);

class RunNetworks final : public serve::NetworkSource {
 public:
  RunNetworks(std::shared_ptr<Runs> runs, NetworkLoader load) : runs_(std::move(runs)), load_(std::move(load)) {}
  // Of the runs that have weights.
  std::vector<serve::NetworkLabel> labels() override;
  bool may_have(const std::string& name) const override { return name.starts_with("run."); }
  // Keeps the last kKept that were asked for.
  serve::NetworkPointer find(const std::string& name) override;

  static constexpr std::size_t kKept = 4;

 private:
  struct Loaded {
    std::string name;
    std::filesystem::file_time_type time;
    serve::NetworkPointer network;
  };
  const std::shared_ptr<Runs> runs_;
  const NetworkLoader load_;
  std::mutex mutex_;        // of kept_
  std::list<Loaded> kept_;  // the latest first
  std::mutex loading_;      // one at a time; whoever needs another network that is kept does not wait
};

}  // namespace quarto::watch
