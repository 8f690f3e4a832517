#include "watch/run_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/checksum.h"
#include "env/notation.h"

namespace quarto::watch {
namespace fs = std::filesystem;

std::string network_name(const std::string& run) {
  std::string name = "run." + run;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '-';
  }
  if (name == "run." + run && name.size() <= serve::kMostNameBytes) return name;
  const std::string checksum = fmt::format("-{:08x}", crc32c(run));
  return name.substr(0, serve::kMostNameBytes - checksum.size()) + checksum;
}

std::vector<serve::NetworkLabel> RunNetworks::labels() {
  std::vector<serve::NetworkLabel> labels;
  for (const Run& run : *runs_->list()) {
    if (!run.playable) continue;
    serve::NetworkLabel label{network_name(run.name), Rules::lines, {{"run", run.name}}};
    const auto rules = run.config.find("network.rules");
    if (rules != run.config.end()) label.rules = value_named<Rules>(rules->second).value_or(label.rules);
    labels.push_back(std::move(label));
  }
  return labels;
}

serve::NetworkPointer RunNetworks::find(const std::string& name) {
  const RunList runs = runs_->list();
  const auto run = std::find_if(runs->begin(), runs->end(),
                                [&](const Run& r) { return r.playable && network_name(r.name) == name; });
  const auto folder = run == runs->end() ? std::nullopt : runs_->folder_of(run->name);
  if (!folder) return nullptr;
  const auto kept = [&]() -> serve::NetworkPointer {
    std::error_code error;
    const auto weights = best_weights(*folder);
    const auto time = weights ? fs::last_write_time(*weights, error) : fs::file_time_type();
    const std::lock_guard lock(mutex_);
    const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Loaded& l) {
      return l.name == name && weights && !error && l.time == time;
    });
    if (it == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, it);
    return it->network;
  };
  if (auto network = kept()) return network;
  const std::lock_guard loading(loading_);
  if (auto network = kept()) return network;  // another thread has loaded it meanwhile
  const auto weights = best_weights(*folder);
  if (!weights) return nullptr;  // they went, or a link has taken their place
  const auto time = fs::last_write_time(*weights);
  auto network =
      std::make_shared<const serve::ServedNetwork>(serve::ServedNetwork{load_(weights->parent_path()), name});
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Loaded& l) { return l.name == name; });
  kept_.push_front({name, time, network});
  if (kept_.size() > kKept) kept_.pop_back();
  return network;
}

}  // namespace quarto::watch
