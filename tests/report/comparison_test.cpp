#include "report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A run whose `deep` goes from 0.1 to `deep` in three measurements, one a minute.
ComparedRun run(const std::string& name, int seed, int batch, double deep) {
  ComparedRun r{
      name, {}, {{"seed", std::to_string(seed)}, {"learner.batch", std::to_string(batch)}, {"device", "cpu"}}};
  for (int i = 1; i <= 3; ++i) {
    r.metrics.push_back({{"iteration", i},
                         {"seconds", 60 * i},
                         {"games", 100 * i},
                         {"positions", 2000 * i},
                         {"step", 10 * i},
                         {"loss", 3.0 / i},
                         {"agreement", {{"decisive", 0.9}, {"deep", 0.1 + (deep - 0.1) * i / 3}}}});
  }
  return r;
}

TEST(GroupRuns, SeedsOfOneConfigurationAreOneGroup) {
  const std::vector<ComparedRun> runs = {run("a", 1, 64, .5), run("b", 1, 256, .5), run("c", 2, 64, .5)};
  const std::vector<RunGroup> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].runs, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].label, "learner.batch 64");
  EXPECT_EQ(groups[1].label, "learner.batch 256");
  EXPECT_EQ(groups[1].settings, (std::map<std::string, std::string>{{"learner.batch", "256"}}));
}

TEST(GroupRuns, ASettingThatOneRunLacksDiffers) {
  std::vector<ComparedRun> runs = {run("a", 1, 64, .5), run("b", 1, 64, .5)};
  runs[1].config["search.new"] = "3";
  const std::vector<RunGroup> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].settings.at("search.new"), "not set");
}

TEST(MeanWithBand, IsTakenWhereAllCurvesAreKnown) {
  const std::vector<BandPoint> points = mean_with_band({{{0, 0}, {2, 2}, {4, 4}}, {{1, 3}, {3, 5}}});
  ASSERT_EQ(points.size(), 3U);  // at 1, 2 and 3
  EXPECT_EQ(points[0].x, 1);
  EXPECT_EQ(points[0].low, 1);
  EXPECT_EQ(points[0].high, 3);
  EXPECT_EQ(points[1].mean, 3);  // of 2 and 4
  EXPECT_EQ(points[2].mean, 4);
  EXPECT_TRUE(mean_with_band({{{0, 0}, {1, 1}}, {{2, 0}, {3, 1}}}).empty());
}

TEST(Comparison, SaysFirstWhatIsAheadAndWhatChanceMakes) {
  const std::vector<ComparedRun> runs = {run("a", 1, 64, .50), run("b", 2, 64, .54), run("<c>", 1, 256, .60)};
  const std::string html = render_comparison(runs);
  EXPECT_THAT(html, HasSubstr("<strong>learner.batch 256</strong> is at 60.0% of <code>deep</code>, 8.0 points above"));
  EXPECT_THAT(html, HasSubstr("differ by up to 4.0 points"));
  EXPECT_THAT(html, HasSubstr("52.0 (50.0 to 54.0)"));
  EXPECT_THAT(html, HasSubstr("<polygon"));
  EXPECT_THAT(html, HasSubstr("&lt;c&gt;"));
  EXPECT_LT(html.find("<h2>Result"), html.find("<svg"));
  for (const char* text : {"http:", "https:", "<script", "<c>", "nan", "inf\""})
    EXPECT_THAT(html, Not(HasSubstr(text)));
  const auto table = comparison_table(runs);
  EXPECT_THAT(table[0], testing::ElementsAre("configuration", "seeds", "deep %", "decisive %", "iterations", "games",
                                             "samples", "time"));
  EXPECT_EQ(table[1][0], "learner.batch 256");
  EXPECT_EQ(table[1][2], "60.0");
}

// By chance, which happens in small samples.
TEST(Comparison, SeedsThatMeasureTheSameAreSeedsAllTheSame) {
  const std::string html = render_comparison({run("a", 1, 64, .5), run("b", 2, 64, .5), run("c", 1, 256, .4)});
  EXPECT_THAT(html, HasSubstr("differ by up to 0.0 points"));
  EXPECT_THAT(html, Not(HasSubstr("has one seed")));
  EXPECT_THAT(render_comparison({run("a", 1, 64, .5), run("c", 1, 256, .4)}), HasSubstr("has one seed"));
  EXPECT_EQ(group_runs({run("a", 1, 64, .5), run("b", 2, 64, .5)})[0].label, "a and 1 more seed");
}

// Seeds that were never measured at the same time have no mean; their curves are drawn all the same.
TEST(Comparison, SeedsWithoutACommonStretchAreDrawnOneByOne) {
  std::vector<ComparedRun> runs = {run("a", 1, 64, .5), run("b", 2, 64, .6), run("c", 1, 256, .7)};
  for (json& line : runs[1].metrics) line["seconds"] = line["seconds"].get<double>() + 1000;
  const std::string page = render_comparison(runs);
  const std::size_t at = page.find("Agreement, deep, by minutes");
  ASSERT_NE(at, std::string::npos);
  const std::string plot = page.substr(at, page.find("</figure>", at) - at);
  std::size_t points = 0;
  for (std::size_t p = 0; (p = plot.find("<circle", p)) != std::string::npos; ++p) ++points;
  EXPECT_EQ(points, 9U);
  // One configuration has one entry in the legend.
  EXPECT_EQ(plot.find("learner.batch 64</span>"), plot.rfind("learner.batch 64</span>"));
}

TEST(Comparison, RunsWithoutMeasurementsAreComparedToo) {
  std::vector<ComparedRun> runs = {run("a", 1, 64, .5), run("b", 2, 64, .5)};
  for (ComparedRun& r : runs) {
    for (json& line : r.metrics) line.erase("agreement");
  }
  const std::string html = render_comparison(runs);
  EXPECT_THAT(html, AllOf(HasSubstr("None of these runs has measured"), HasSubstr("Nothing but the seed")));
  EXPECT_THROW(render_comparison({runs[0]}), ReportError);
}

}  // namespace
}  // namespace quarto
