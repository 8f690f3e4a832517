// A server for one run, beside what trains it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "env/network_loader.h"

namespace quarto::watch {

// From its construction to its end the run in `folder` is shown at url(), to browsers of this machine. The folder need
// not exist yet. Training uses none of it, and one thread computes what a page asks for. Throws std::runtime_error if
// the port cannot be had.
class Watching {
 public:
  Watching(const std::filesystem::path& folder, int port, NetworkLoader load, const std::string& version);
  ~Watching();
  std::string url() const;  // http://127.0.0.1:8080/runs/

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto::watch
