// What a server counts, as text for Prometheus (text format 0.0.4). Thread-safe.
//
// A family is a name with its help; within it there is one number for each set of labels. Labels must come from fixed
// sets, never from requests, so that the page stays small.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace quarto::serve {

class Metrics {
 public:
  // `labels` as they are printed: `endpoint="move",status="200"`, or "".
  void count(const std::string& family, const std::string& labels = "", double by = 1);
  // A duration into the family's histogram.
  void observe(const std::string& family, const std::string& labels, double seconds);
  // A number that is asked for when the page is: `read` may be called from any thread, and must not call back. Empty:
  // there is no number any more.
  void gauge(const std::string& family, std::function<double()> read);
  // The help texts, and so the order on the page. Families must be declared before use
  // (std::logic_error); the second time changes nothing.
  void declare(const std::string& family, const std::string& type, const std::string& help);

  double value(const std::string& family, const std::string& labels = "") const;  // of a counter; 0 if never counted
  std::string text() const;

  // Upper bounds in seconds, from a raw network's answer to a long search.
  static constexpr std::array<double, 10> kBounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100};

 private:
  struct Histogram {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
  };
  struct Family {
    std::string name, type, help;
    std::map<std::string, double> values{};
    std::map<std::string, Histogram> histograms{};
    std::function<double()> read{};
  };
  Family& family(const std::string& name);
  const Family& family(const std::string& name) const;

  mutable std::mutex mutex_;
  std::vector<Family> families_;
};

}  // namespace quarto::serve
