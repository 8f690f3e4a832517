#include "watch/run_networks.h"

#include <algorithm>
#include <cctype>

namespace quarto::watch {
namespace fs = std::filesystem;

std::string network_name(const std::string& run) {
  std::string name = "run." + run;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  }
  return name.substr(0, serve::kMostNameBytes);
}

std::vector<serve::NetworkPointer> RunNetworks::networks() {
  const std::vector<Run> runs = runs_->list();
  const std::lock_guard lock(mutex_);
  std::erase_if(loaded_, [&](const auto& known) {
    return std::none_of(runs.begin(), runs.end(), [&](const Run& run) { return run.name == known.first; });
  });
  std::vector<serve::NetworkPointer> networks;
  for (const Run& run : runs) {
    const auto folder = runs_->folder_of(run.name);
    if (!folder) continue;
    std::error_code error;
    const fs::path best = *folder / "best";
    const auto time = fs::last_write_time(best / "model.safetensors", error);
    if (error) continue;
    const auto known = loaded_.find(run.name);
    if (known == loaded_.end() || known->second.time != time) {
      serve::NetworkPointer network;
      try {
        network =
            std::make_shared<const serve::ServedNetwork>(serve::ServedNetwork{load_(best), network_name(run.name)});
      } catch (const std::exception&) {  // damaged, or being replaced: the next question tries a changed file again
      }
      loaded_[run.name] = {time, std::move(network)};
    }
    if (const auto& network = loaded_[run.name].network) networks.push_back(network);
  }
  return networks;
}

}  // namespace quarto::watch
