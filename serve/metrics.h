// Counters, gauges and histograms in Prometheus's text format (0.0.4). Thread-safe.
//
// A family is a name, a type and a help text; it has one value for each set of labels. Label values must come from
// fixed sets, never from requests: otherwise a client could make the page grow.
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
  // Adds a duration to the family's histogram.
  void observe(const std::string& family, const std::string& labels, double seconds);
  // text() calls `read`, on any thread, with the lock held: `read` must not use this object. An empty `read` removes
  // the gauge's value.
  void gauge(const std::string& family, std::function<double()> read);
  // Families appear on the page in the order of their declaration. The use of an undeclared family throws
  // std::logic_error; a second declaration has no effect.
  void declare(const std::string& family, const std::string& type, const std::string& help);

  // Of a counter; 0 before the first count().
  double value(const std::string& family, const std::string& labels = "") const;
  std::string text() const;

  // Upper bounds in seconds: from one network evaluation to a long search.
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
