// The best weights of every run, as networks of the server: "run.night" for runs/night/best. They are loaded when they
// are first asked for, and again when a run has written others.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "env/network_loader.h"
#include "serve/api.h"
#include "watch/runs.h"

namespace quarto::watch {

// The name of a run's network. "/" and whatever a network's name cannot have become "-".
std::string network_name(const std::string& run);

class RunNetworks final : public serve::NetworkSource {
 public:
  RunNetworks(std::shared_ptr<Runs> runs, NetworkLoader load) : runs_(std::move(runs)), load_(std::move(load)) {}
  // Those that can be loaded; a run without weights, or with damaged ones, has none.
  std::vector<serve::NetworkPointer> networks() override;

 private:
  struct Loaded {
    std::filesystem::file_time_type time;
    serve::NetworkPointer network;  // null: it could not be loaded
  };
  const std::shared_ptr<Runs> runs_;
  const NetworkLoader load_;
  std::mutex mutex_;
  std::map<std::string, Loaded> loaded_;  // by run
};

}  // namespace quarto::watch
