#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace quarto::serve {
namespace {

std::string in_braces(const std::string& labels) { return labels.empty() ? "" : "{" + labels + "}"; }

std::string with_bound(const std::string& labels, const std::string& bound) {
  return fmt::format("{{{}{}le=\"{}\"}}", labels, labels.empty() ? "" : ",", bound);
}

}  // namespace

const Metrics::Family& Metrics::family(const std::string& name) const {
  const auto it = std::find_if(families_.begin(), families_.end(), [&name](const Family& f) { return f.name == name; });
  if (it == families_.end()) throw std::logic_error("no such metric: " + name);
  return *it;
}
Metrics::Family& Metrics::family(const std::string& name) {
  return const_cast<Family&>(static_cast<const Metrics*>(this)->family(name));
}

void Metrics::declare(const std::string& name, const std::string& type, const std::string& help) {
  const std::lock_guard lock(mutex_);
  if (std::none_of(families_.begin(), families_.end(), [&name](const Family& f) { return f.name == name; }))
    families_.push_back({name, type, help});
}

void Metrics::gauge(const std::string& name, std::function<double()> read) {
  const std::lock_guard lock(mutex_);
  family(name).read = std::move(read);
}

void Metrics::count(const std::string& name, const std::string& labels, double by) {
  const std::lock_guard lock(mutex_);
  family(name).values[labels] += by;
}

void Metrics::observe(const std::string& name, const std::string& labels, double seconds) {
  const std::lock_guard lock(mutex_);
  Histogram& histogram = family(name).histograms[labels];
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++histogram.counts[static_cast<std::size_t>(bound - kBounds.begin())];
  histogram.sum += seconds;
}

double Metrics::value(const std::string& name, const std::string& labels) const {
  const std::lock_guard lock(mutex_);
  const auto& values = family(name).values;
  const auto it = values.find(labels);
  return it == values.end() ? 0 : it->second;
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string page;
  const auto out = std::back_inserter(page);
  for (const Family& f : families_) {
    fmt::format_to(out, "# HELP {} {}\n# TYPE {} {}\n", f.name, f.help, f.name, f.type);
    if (f.read) fmt::format_to(out, "{} {}\n", f.name, f.read());
    for (const auto& [labels, value] : f.values) fmt::format_to(out, "{}{} {}\n", f.name, in_braces(labels), value);
    for (const auto& [labels, histogram] : f.histograms) {
      std::uint64_t so_far = 0;
      for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        so_far += histogram.counts[i];
        const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
        fmt::format_to(out, "{}_bucket{} {}\n", f.name, with_bound(labels, bound), so_far);
      }
      fmt::format_to(out, "{}_sum{} {}\n", f.name, in_braces(labels), histogram.sum);
      fmt::format_to(out, "{}_count{} {}\n", f.name, in_braces(labels), so_far);
    }
  }
  return page;
}

}  // namespace quarto::serve
