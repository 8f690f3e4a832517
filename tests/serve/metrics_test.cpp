#include "serve/metrics.h"

#include <gmock/gmock.h>

#include <thread>

namespace quarto::serve {
namespace {

using testing::HasSubstr;

TEST(Metrics, ArePrintedAsPrometheusReadsThem) {
  Metrics m;
  m.declare("apples_total", "counter", "Apples.");
  m.declare("wait_seconds", "histogram", "Waiting.");
  m.declare("open", "gauge", "Open.");
  m.count("apples_total", "kind=\"red\"");
  m.count("apples_total", "kind=\"red\"", 2);
  m.observe("wait_seconds", "", 0.02);
  m.observe("wait_seconds", "", 1000);
  m.gauge("open", [] { return 7.0; });
  EXPECT_EQ(m.value("apples_total", "kind=\"red\""), 3);
  EXPECT_EQ(m.value("apples_total", "kind=\"green\""), 0);
  const std::string text = m.text();
  EXPECT_THAT(text,
              HasSubstr("# HELP apples_total Apples.\n# TYPE apples_total counter\napples_total{kind=\"red\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{le=\"0.01\"} 0\nwait_seconds_bucket{le=\"0.03\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{le=\"+Inf\"} 2\nwait_seconds_sum 1000.02\nwait_seconds_count 2\n"));
  EXPECT_THAT(text, HasSubstr("\nopen 7\n"));
  EXPECT_THROW(m.count("pears_total"), std::logic_error);
}

TEST(Metrics, CountFromManyThreads) {
  Metrics m;
  m.declare("n", "counter", "N.");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&m] {
      for (int i = 0; i < 1000; ++i) m.count("n");
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(m.value("n"), 4000);
}

}  // namespace
}  // namespace quarto::serve
