#include "data/label.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/atomic_file.h"
#include "base/file.h"
#include "base/json_library.h"
#include "data/label_share.h"
#include "data/position_bytes.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "solver/book.h"
#include "tests/support/local_shares.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

class Labels : public testing::Test {
 protected:
  LabelJob job(const std::string& name, LabelFormat format = LabelFormat::suite) const {
    LabelJob j;
    j.strata = {{Phase::give, 9}, {Phase::place, 10}, {Phase::give, 12}};
    j.per_stratum = 40;
    j.seed = 5;
    j.out = dir_ / name;
    j.format = format;
    return j;
  }
  LabelReport run(const LabelJob& j, int threads = 1) {
    Solver solver({.table_bytes = std::size_t{8} << 20, .threads = threads});
    return label(j, solver, [](std::uint64_t) {});
  }
  LabelReport run(const LabelJob& j, Shares& shares) {
    return label(
        j, [&]() -> Shares& { return shares; }, [](std::uint64_t) {});
  }
  TemporaryDirectory dir_;
};

TEST_F(Labels, AreWhatTheSolverFindsForEachPositionAlone) {
  const LabelReport report = run(job("a.tsv"));
  const Suite suite = read_suite(dir_ / "a.tsv");
  ASSERT_EQ(suite.entries.size(), 120U);
  Solver solver({.table_bytes = std::size_t{8} << 20});
  std::set<CanonicalKey> keys;
  for (std::size_t i = 0; i < suite.entries.size(); ++i) {
    const SuiteEntry& entry = suite.entries[i];
    const MoveSolution exact = solver.solve_moves(entry.position);
    ASSERT_EQ(entry.value, exact.value);
    ASSERT_EQ(entry.moves, exact.values);
    EXPECT_TRUE(keys.insert(canonical_key(entry.position)).second) << "an image of another";
    const Stratum& s = *report.strata[i / 40].stratum;
    EXPECT_EQ(entry.position.pieces_on_board(), s.pieces);
    EXPECT_EQ(entry.position.phase(), s.phase);
  }
  for (const StratumReport& s : report.strata) EXPECT_EQ(s.kept, 40U);
}

TEST_F(Labels, AreTheSameBytesInSharesOfAnySize) {
  for (const Keep keep : {Keep::all, Keep::deep}) {
    LabelJob alone = job("alone.labels", LabelFormat::shards), shared = job("shared.labels", LabelFormat::shards);
    alone.keep = shared.keep = keep;
    run(alone);
    for (const std::uint64_t workers : {1U, 100U}) {
      Solver solver({.table_bytes = std::size_t{8} << 20});
      LocalShares shares([&](const std::string& input) { return label_share(input, Rules::lines, solver, {}); },
                         workers);
      EXPECT_FALSE(run(shared, shares).stopped);
      EXPECT_GT(shares.asked(), 3U);
      EXPECT_EQ(read_file(shared.out), read_file(alone.out));
      fs::remove(shared.out);
    }
    fs::remove(alone.out);
  }
}

TEST_F(Labels, ThatAreStoppedInSharesAreGoneOnWithAlone) {
  LabelJob shared = job("shared.tsv"), alone = job("alone.tsv");
  run(alone);
  Solver solver({.table_bytes = std::size_t{8} << 20});
  std::atomic<bool> stop = false;
  int done = 0;
  shared.stop = &stop;
  LocalShares shares([&](const std::string& input) {
    if (++done == 8) stop = true;
    return label_share(input, Rules::lines, solver, {});
  });
  EXPECT_TRUE(run(shared, shares).stopped);
  stop = false;
  EXPECT_GT(run(shared).resumed, 0U);
  EXPECT_EQ(read_file(shared.out), read_file(alone.out));
}

TEST_F(Labels, AJobThatIsRefusedBeforeItHasDoneAnythingLeavesNoFile) {
  const LabelJob refused = job("refused.tsv");
  const auto refuse = []() -> Shares& { throw std::runtime_error("another job is there"); };
  EXPECT_THROW(label(refused, refuse, [](std::uint64_t) {}), std::runtime_error);
  EXPECT_FALSE(fs::exists(refused.out.string() + ".partial"));
}

TEST(LabelShare, ResultsThatCannotBeAreRefused) {
  Rng rng(3);
  const std::vector<Position> positions = {random_position_at(19, rng, Rules::lines),
                                           random_position_at(20, rng, Rules::lines)};
  const std::string input = position_bytes(positions);
  EXPECT_EQ(positions_of_bytes(input, Rules::lines), positions);
  Solver solver({.table_bytes = std::size_t{8} << 20});
  const std::string right = label_share(input, Rules::lines, solver, {});
  EXPECT_EQ(labels_of_share(input, Rules::lines, right)[1].values, solver.solve_moves(positions[1]).values);
  const auto refused = [&](const std::string& result) {
    return message_of<std::runtime_error>([&] { labels_of_share(input, Rules::lines, result); }) != "no error";
  };
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused(right.substr(1)));
  EXPECT_TRUE(refused(right + right));
  EXPECT_THROW(labels_of_share("", Rules::lines, ""), std::runtime_error) << "no share is without positions";
  // Two bits of a move: its value where there was none, or none where there was one.
  for (std::size_t bit = 0; bit < 8 * right.size(); bit += 2) {
    std::string wrong = right;
    const auto at = bit / 8;
    const int shift = static_cast<int>(bit % 8);
    const bool legal = (right[at] >> shift & 3) != 0;
    wrong[at] = static_cast<char>(legal ? right[at] & ~(3 << shift) : right[at] | 1 << shift);
    EXPECT_TRUE(refused(wrong)) << bit;
  }
  EXPECT_THROW(label_share("", Rules::lines, solver, {}), std::runtime_error);
  std::string many;
  while (many.size() <= kMostInLabelShare * kPositionBytes) many += input;
  EXPECT_THROW(positions_of_label_share(many, Rules::lines), std::runtime_error);
  EXPECT_THROW(label_share(input.substr(1), Rules::lines, solver, {}), std::runtime_error);
  EXPECT_THROW(label_share(std::string(11, '\xFF'), Rules::lines, solver, {}), std::runtime_error);
}

TEST_F(Labels, AreTheSameAsASuiteAsShardsAndAsJsonLines) {
  run(job("a.tsv"));
  run(job("a.labels", LabelFormat::shards));
  const Suite suite = read_suite(dir_ / "a.tsv");
  LabelFileInfo info;
  const auto shards = read_labels(dir_ / "a.labels", info);
  EXPECT_EQ(info.rules, Rules::lines);
  ASSERT_EQ(shards.size(), suite.entries.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    EXPECT_EQ(shards[i].position, suite.entries[i].position);
    EXPECT_EQ(shards[i].value, suite.entries[i].value);
    EXPECT_EQ(shards[i].moves, suite.entries[i].moves);
  }
  run(job("a.jsonl", LabelFormat::jsonl));
  std::istringstream in(read_file(dir_ / "a.jsonl"));
  std::size_t n = 0;
  for (std::string line; std::getline(in, line); ++n) {
    ASSERT_LT(n, suite.entries.size());
    const SuiteEntry& entry = suite.entries[n];
    const Position& p = entry.position;
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("rules"), "lines");
    EXPECT_EQ(json.at("position"), to_string(p));
    EXPECT_EQ(json.at("phase"), to_string(p.phase()));
    EXPECT_EQ(json.at("hand"), p.has_hand() ? index(p.hand()) : -1);
    EXPECT_EQ(json.at("value"), static_cast<int>(entry.value));
    ASSERT_EQ(json.at("board").size(), 16U);
    ASSERT_EQ(json.at("values").size(), 16U);
    // The notation has the squares in the order of the board, four and a '/'.
    const std::string text = to_string(p);
    for (std::size_t i = 0; i < 16; ++i) {
      const int piece = json["board"][i].get<int>();
      EXPECT_EQ(text[i + i / 4], piece < 0 ? '.' : "0123456789ABCDEF"[piece]);
      const auto& value = json["values"][i];
      ASSERT_EQ(value.is_null(), !entry.moves[i]);
      if (entry.moves[i]) {
        EXPECT_EQ(value, static_cast<int>(*entry.moves[i]));
      }
    }
  }
  EXPECT_EQ(n, suite.entries.size());
}

TEST_F(Labels, AreTheSameBytesOnAnyThreadsAndAfterInterruptions) {
  for (const Keep keep : {Keep::all, Keep::deep}) {
    LabelJob whole = job("whole", LabelFormat::shards);
    whole.keep = keep;
    run(whole);
    LabelJob parts = job("parts", LabelFormat::shards);
    parts.keep = keep;
    std::atomic<bool> stop = false;
    parts.stop = &stop;
    int interruptions = 0;
    while (true) {
      Solver solver({.table_bytes = std::size_t{8} << 20, .threads = 2});
      const LabelReport report = label(parts, solver, [&stop](std::uint64_t) { stop = true; });
      stop = false;
      if (!report.stopped) break;
      ASSERT_LT(++interruptions, 1000);
      std::ofstream(dir_ / "parts.partial", std::ios::app | std::ios::binary) << "half a block";
    }
    EXPECT_GT(interruptions, 3);
    EXPECT_EQ(read_file(dir_ / "parts"), read_file(dir_ / "whole"));
    EXPECT_FALSE(fs::exists(dir_ / "parts.partial"));
    for (const char* name : {"parts", "whole"}) fs::remove(dir_ / name);
  }
}

TEST_F(Labels, KeepsWhatWasAskedFor) {
  for (const Keep keep : {Keep::decisive, Keep::deep}) {
    LabelJob j = job("kept.tsv");
    j.keep = keep;
    run(j);
    const Suite suite = read_suite(dir_ / "kept.tsv");
    EXPECT_EQ(suite.entries.size(), 120U);
    for (const SuiteEntry& entry : suite.entries) {
      EXPECT_TRUE(entry.decisive());
      if (keep == Keep::deep) {
        EXPECT_TRUE(deep(entry));
      }
    }
    fs::remove(dir_ / "kept.tsv");
  }
}

TEST_F(Labels, LeavesOutWhatIsHeldOut) {
  run(job("first.tsv"));
  LabelJob second = job("second.tsv");
  for (const SuiteEntry& entry : read_suite(dir_ / "first.tsv").entries) {
    second.excluded.insert(canonical_key(entry.position));
  }
  run(second);
  for (const SuiteEntry& entry : read_suite(dir_ / "second.tsv").entries) {
    EXPECT_FALSE(second.excluded.contains(canonical_key(entry.position)));
  }
}

TEST_F(Labels, KeepsTheOrderOfGivenPositions) {
  Rng rng(9);
  LabelJob j = job("given.tsv");
  j.strata.clear();
  for (int i = 0; i < 50; ++i) j.positions.push_back(random_position_at(20 + i % 8, rng));
  j.positions.push_back(j.positions.front());
  run(j, 2);
  const Suite suite = read_suite(dir_ / "given.tsv");
  ASSERT_EQ(suite.entries.size(), j.positions.size());
  for (std::size_t i = 0; i < j.positions.size(); ++i) EXPECT_EQ(suite.entries[i].position, j.positions[i]);
}

TEST_F(Labels, DoesNotContinueAnotherJob) {
  LabelJob j = job("a.tsv");
  std::atomic<bool> stop = true;
  j.stop = &stop;
  ASSERT_TRUE(run(j).stopped);
  j.seed = 6;
  EXPECT_THROW(run(j), LabelError);
}

TEST_F(Labels, DamagedFilesAreNoticed) {
  run(job("a.labels", LabelFormat::shards));
  const std::string good = read_file(dir_ / "a.labels");
  LabelFileInfo info;
  for (std::size_t at = 0; at < good.size(); at += at < 64 ? 1 : 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    write_file_atomic(dir_ / "bad.labels", bad);
    EXPECT_THROW(read_labels(dir_ / "bad.labels", info), LabelError) << "byte " << at;
  }
  write_file_atomic(dir_ / "bad.labels", good.substr(0, good.size() - 5));
  EXPECT_THROW(read_labels(dir_ / "bad.labels", info), LabelError);
}

TEST_F(Labels, FaultyRecordsAreNoticedWhateverTheChecksumSays) {
  run(job("a.labels", LabelFormat::shards));
  LabelFileInfo info;
  const auto entries = read_labels(dir_ / "a.labels", info);
  const auto error_of = [&](auto change) -> std::string {
    LabelBlock block;
    for (const SuiteEntry& entry : entries) block.records.push_back(LabelRecord::of(entry));
    change(block.records.at(block.records.size() / 2));
    write_file_atomic(dir_ / "bad.labels", label_file_header(info) + label_block_bytes(block));
    return message_of<LabelError>([&] { read_labels(dir_ / "bad.labels", info); });
  };
  EXPECT_EQ(error_of([](LabelRecord&) {}), "no error");
  for (const int hand : {16, 100, 254}) {
    EXPECT_THAT(error_of([&](LabelRecord& r) { r.hand = static_cast<std::uint8_t>(hand); }),
                testing::HasSubstr("no such piece in hand"));
  }
  EXPECT_THAT(error_of([](LabelRecord& r) { r.value = 0; }), testing::HasSubstr("no such value"));
  EXPECT_THAT(error_of([](LabelRecord& r) { r.value = r.value == 3 ? 1 : 3; }), testing::HasSubstr("best move"));
  EXPECT_THAT(error_of([](LabelRecord& r) { r.moves = 0; }), testing::HasSubstr("none for a legal one"));
  EXPECT_THAT(error_of([](LabelRecord& r) { r.attributes = ~r.attributes; }), testing::HasSubstr("empty square"));
  EXPECT_THAT(error_of([](LabelRecord& r) { r.occupied = 0; }), testing::HasSubstr("empty square"));
}

TEST_F(Labels, AreMadeByOneProcessAtATime) {
  LabelJob j = job("a.tsv");
  std::atomic<bool> stop = true;
  j.stop = &stop;
  ASSERT_TRUE(run(j).stopped);
  stop = false;
  {
    const WorkLock other(dir_ / "a.tsv");
    EXPECT_THROW(run(j), FileError);
  }
  run(j);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "a.tsv.lock"));
  EXPECT_THROW(run(j), LabelError);  // it is there already
}

TEST_F(Labels, StopsWhileItLooksForCandidatesThatDoNotComeUp) {
  LabelJob j = job("a.tsv");
  j.strata = {{Phase::give, 15}};
  j.keep = Keep::decisive;
  j.per_stratum = std::uint64_t{1} << 40;
  std::atomic<bool> stop = false;
  j.stop = &stop;
  std::jthread stopper([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  EXPECT_TRUE(run(j).stopped);
}

TEST_F(Labels, EndsWhereThereAreNoMorePositions) {
  LabelJob j = job("a.tsv");
  j.strata = {{Phase::place, 0}, {Phase::give, 1}};
  j.per_stratum = 1'000'000'000;
  Solver solver({.table_bytes = 1 << 20, .books = Books::shipped()});
  const LabelReport report = label(j, solver, [](std::uint64_t) {});
  EXPECT_EQ(report.strata[0].kept, 1U);
  EXPECT_EQ(report.strata[1].kept, 2U) << "two classes of squares: corners and centre, and edges";
  EXPECT_TRUE(report.strata[1].exhausted);
  EXPECT_LT(report.strata[1].candidates, 100'000U) << "those that were looked at";
}

}  // namespace
}  // namespace quarto
