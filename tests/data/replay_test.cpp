#include "data/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "base/checksum.h"
#include "base/file.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

Sample random_sample(Rng& rng) {
  const Position p = random_position(rng);
  std::array<float, kMoves> policy{};
  const int count = std::popcount(p.legal_moves());
  for (const int m : BitsOf(p.legal_moves())) policy[static_cast<std::size_t>(m)] = 1.0F / static_cast<float>(count);
  Sample s = Sample::of(p, policy, static_cast<float>(rng.uniform() * 2 - 1));
  s.outcome = static_cast<std::int8_t>(static_cast<int>(rng.below(3)) - 1);
  return s;
}

Shard random_shard(std::size_t n, Rng& rng) {
  Shard shard;
  shard.games = n / 10;
  for (std::size_t i = 0; i < n; ++i) shard.samples.push_back(random_sample(rng));
  return shard;
}

TEST(Sample, HoldsAPositionExactlyAndSharesClosely) {
  Rng rng(1);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 500; ++i) {
      const Position p = random_position(rng, rules);
      std::array<float, kMoves> policy{};
      float sum = 0;
      for (const int m : BitsOf(p.legal_moves()))
        sum += policy[static_cast<std::size_t>(m)] = static_cast<float>(rng.uniform());
      for (float& x : policy) x /= sum;
      const Sample s = Sample::of(p, policy, -0.25F);
      ASSERT_EQ(s.position(), p);
      ASSERT_NEAR(s.search_value(), -0.25F, 1e-4);
      float total = 0;
      for (std::size_t m = 0; m < kMoves; ++m) {
        ASSERT_NEAR(s.policy_shares()[m], policy[m], 1e-4);
        total += s.policy_shares()[m];
      }
      ASSERT_NEAR(total, 1, 1e-5);
    }
  }
}

// What each byte of a sample may be, apart from checksums.
TEST(Sample, SaysWhatIsWrongWithIt) {
  Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    const Position p = random_position(rng, i % 2 ? Rules::lines : Rules::squares);
    std::array<float, kMoves> policy{};
    policy[static_cast<std::size_t>(std::countr_zero(p.legal_moves()))] = 1;
    const Sample good = Sample::of(p, policy, 0);
    EXPECT_EQ(good.fault(), nullptr);
    const auto faulty = [&](auto change) {
      Sample bad = good;
      change(bad);
      return bad.fault() != nullptr;
    };
    EXPECT_TRUE(faulty([](Sample& s) { s.rules = 2; }));
    EXPECT_TRUE(faulty([](Sample& s) { s.hand = 16; }));  // and what else no stored position is (env)
    for (const int outcome : {-128, -2, 2, 127})
      EXPECT_TRUE(faulty([&](Sample& s) { s.outcome = static_cast<std::int8_t>(outcome); }));
    EXPECT_TRUE(faulty([](Sample& s) { s.skip = 4; }));
    if (p.legal_moves() != 0xFFFF) {
      EXPECT_TRUE(faulty([&](Sample& s) { s.policy[static_cast<std::size_t>(std::countr_one(p.legal_moves()))] = 1; }));
    }
  }
  Sample won = Sample::of(Position(), {}, 0);
  won.occupied = 0x000F;
  won.attributes = 0x0000'0000'000C'000AULL;  // four hollow square pieces in a row
  EXPECT_STREQ(won.fault(), "the game is over");
}

TEST(Shard, ReadsBackWhatWasWrittenAndNoticesAFaultySample) {
  const TemporaryDirectory dir;
  Rng rng(4);
  Shard shard = random_shard(1000, rng);
  write_shard(dir / "a.qrs", shard);
  EXPECT_EQ(read_shard(dir / "a.qrs").games, shard.games);
  EXPECT_EQ(read_shard(dir / "a.qrs").samples, shard.samples);
  EXPECT_LT(std::filesystem::file_size(dir / "a.qrs"), 48U * 1000);
  shard.samples[3].hand = 77;  // with a right checksum
  write_shard(dir / "a.qrs", shard);
  EXPECT_THAT(message_of<ReplayError>([&] { read_shard(dir / "a.qrs"); }),
              testing::HasSubstr("sample 3: no such piece"));
}

// Cut at every length, and with any byte changed, a shard is an error: never wrong samples, never a crash.
TEST(Shard, DamageIsAlwaysNoticed) {
  const TemporaryDirectory dir;
  Rng rng(3);
  const Shard shard = random_shard(20, rng);
  write_shard(dir / "a.qrs", shard);
  const std::string bytes = read_file(dir / "a.qrs");
  for (const char* magic : {"QRSHARD1", "QRSHARD3"}) {
    write_file_atomic(dir / "other.qrs", std::string(bytes).replace(0, 8, magic));
    EXPECT_THAT([&] { read_shard(dir / "other.qrs"); },
                testing::ThrowsMessage<ReplayError>(testing::HasSubstr("not a replay shard of format version 2")));
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::ofstream(dir / "cut.qrs", std::ios::binary) << bytes.substr(0, n);
    ASSERT_THROW(read_shard(dir / "cut.qrs"), ReplayError) << "cut to " << n << " bytes";
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string damaged = bytes;
    damaged[n] = static_cast<char>(damaged[n] ^ 0x41);
    std::ofstream(dir / "bad.qrs", std::ios::binary) << damaged;
    ASSERT_THAT(message_of<ReplayError>([&] { read_shard(dir / "bad.qrs"); }), testing::HasSubstr("bad.qrs")) << n;
  }
}

// Each has a right checksum of its own.
TEST(Shard, CountsThatAreNotThoseOfTheSamplesAreRefused) {
  const TemporaryDirectory dir;
  Rng rng(7);
  const Shard shard = random_shard(20, rng);
  write_shard(dir / "a.qrs", shard);
  const std::string good = read_file(dir / "a.qrs");
  constexpr std::size_t kCountAt = 8, kChecksumAt = 24, kFrameAt = 32;
  const auto refused = [&](std::string bytes) {
    const std::uint32_t checksum =
        crc32c(std::string_view(bytes).substr(kChecksumAt + 4), crc32c(std::string_view(bytes).substr(0, kChecksumAt)));
    std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof checksum);
    write_file_atomic(dir / "bad.qrs", bytes);
    return message_of<ReplayError>([&] { read_shard(dir / "bad.qrs"); });
  };
  EXPECT_EQ(refused(good), "no error");
  const auto naming = [&](std::uint64_t count) {
    std::string bytes = good;
    std::memcpy(bytes.data() + kCountAt, &count, sizeof count);
    return bytes;
  };
  for (const std::uint64_t count : {0U, 19U, 21U, 1'000'000'000U})
    EXPECT_THAT(refused(naming(count)), testing::HasSubstr("disagree")) << count;
  for (const std::uint64_t count : {std::uint64_t{1'000'000'001}, std::numeric_limits<std::uint64_t>::max()})
    EXPECT_THAT(refused(naming(count)), testing::HasSubstr("more than a shard holds")) << count;
  std::string damaged = good;
  damaged[damaged.size() - 12] = static_cast<char>(damaged[damaged.size() - 12] ^ 0x41);
  EXPECT_THAT(refused(damaged), testing::HasSubstr("damaged"));
  // A short file of many samples: all of them the empty board.
  const auto of_zeros = [&](std::uint64_t count) {
    const std::vector<char> zeros(count * sizeof(Sample));
    std::string frame(ZSTD_compressBound(zeros.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 1));
    std::string bytes = good.substr(0, kFrameAt) + frame;
    std::memcpy(bytes.data() + kCountAt, &count, sizeof count);
    return bytes;
  };
  const std::string many = of_zeros(100'000);
  EXPECT_EQ(refused(many), "no error");
  EXPECT_THAT(refused(many.substr(0, many.size() - 5)), testing::HasSubstr("damaged"));
  EXPECT_THAT(refused(of_zeros(1'000'001)), testing::HasSubstr("none of games"));
  EXPECT_THAT(refused(good + "x"), testing::HasSubstr("damaged"));
  EXPECT_THAT(refused(good.substr(0, kFrameAt)), testing::HasSubstr("disagree"));
  EXPECT_THAT(refused(good.substr(0, kFrameAt) + "no frame at all"), testing::HasSubstr("disagree"));
  EXPECT_THAT(refused(good.substr(0, good.size() - 5)), testing::HasSubstr("damaged"));
}

TEST(ReplayBuffer, OtherFilesInItsDirectoryAreLeftAlone) {
  const TemporaryDirectory dir;
  Rng rng(8);
  ReplayBuffer replay(dir / "replay", 30);
  replay.remove_dropped();  // there is nothing yet
  for (std::uint64_t n = 1; n <= 3; ++n) replay.append(n, random_shard(20, rng));
  for (const char* name : {"00000000.txt", "notes", "x.qrs", "1x.qrs", ".qrs", "99999999999999999999.qrs"})
    write_file_atomic(dir / "replay" / name, "somebody's");
  replay.remove_dropped();
  ReplayBuffer back(dir / "replay", 30);
  back.restore(2, 2);
  EXPECT_EQ(back.size(), 20U);
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "replay"))
    left.insert(entry.path().filename().string());
  EXPECT_THAT(left, testing::ElementsAre(".qrs", "00000000.txt", "00000002.qrs", "1x.qrs", "99999999999999999999.qrs",
                                         "notes", "x.qrs"));
}

TEST(ReplayBuffer, ADirectoryThatHasGoneIsAnError) {
  const TemporaryDirectory dir;
  ReplayBuffer replay(dir / "replay", 30);
  EXPECT_THROW(replay.restore(1, 1), ReplayError);
}

TEST(ReplayBuffer, KeepsAtLeastTheWindowAndDropsWholeShardsFromTheOldEnd) {
  const TemporaryDirectory dir;
  Rng rng(4);
  ReplayBuffer replay(dir / "replay", 250);
  for (std::uint64_t n = 1; n <= 5; ++n) replay.append(n, random_shard(100, rng));
  EXPECT_EQ(replay.size(), 300U);
  EXPECT_EQ(replay.first_iteration(), 3U);
  EXPECT_TRUE(std::filesystem::exists(dir / "replay/00000001.qrs")) << "kept until a checkpoint has moved on";
  replay.remove_dropped();
  EXPECT_FALSE(std::filesystem::exists(dir / "replay/00000002.qrs"));
  EXPECT_TRUE(std::filesystem::exists(dir / "replay/00000003.qrs"));
}

TEST(ReplayBuffer, DrawsEverySampleOfTheWindow) {
  const TemporaryDirectory dir;
  Rng rng(5);
  ReplayBuffer replay(dir / "replay", 40);
  for (std::uint64_t n = 1; n <= 3; ++n) replay.append(n, random_shard(20, rng));
  const auto is = [](const Sample& s) { return [&s](const Sample& t) { return s == t; }; };
  std::vector<Sample> drawn;
  for (int i = 0; i < 2000; ++i) drawn.push_back(replay.draw(rng));
  for (std::size_t i = 0; i < replay.size(); ++i) {
    EXPECT_TRUE(std::any_of(drawn.begin(), drawn.end(), is(replay.at(i)))) << "sample " << i << " was never drawn";
  }
}

TEST(ReplayBuffer, RestoringGivesTheSameWindowAndForgetsWhatCameAfter) {
  const TemporaryDirectory dir;
  Rng rng(6);
  ReplayBuffer replay(dir / "replay", 40);
  for (std::uint64_t n = 1; n <= 3; ++n) replay.append(n, random_shard(20, rng));
  std::vector<Sample> before;
  for (std::size_t i = 0; i < replay.size(); ++i) before.push_back(replay.at(i));
  const auto first = replay.first_iteration();
  replay.append(4, random_shard(20, rng));

  ReplayBuffer back(dir / "replay", 40);
  back.restore(first, 3);
  ASSERT_EQ(back.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(back.at(i), before[i]);
  EXPECT_FALSE(std::filesystem::exists(dir / "replay/00000004.qrs"));

  std::filesystem::remove(dir / "replay/00000003.qrs");
  ReplayBuffer broken(dir / "replay", 40);
  EXPECT_THROW(broken.restore(first, 3), ReplayError);
}

}  // namespace
}  // namespace quarto
