// The file of the light engine: what goes in comes out, and nothing else passes for one.
#include "light/network_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "base/checksum.h"
#include "base/file.h"
#include "base/random.h"
#include "env/random_play.h"
#include "light/float16.h"
#include "light/floats.h"
#include "tests/light/some_weights.h"
#include "tests/support/temporary_directory.h"

namespace quarto::light {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

NetworkInfo info_of(int width, int blocks, Precision precision) {
  NetworkInfo info;
  info.shape = {width, blocks, 32};
  info.precision = precision;
  info.track = "distilled";
  info.step = 12345678901;
  info.extra = {{"agreement_deep", "79.2 of 100, raw network"}, {"empty", ""}};
  return info;
}

TEST(NetworkFile, KeepsWhatItSaysOfItself) {
  for (const Precision precision : {Precision::float32, Precision::float16}) {
    NetworkInfo info = info_of(32, 2, precision);
    info.rules = Rules::squares;
    const LightNetwork read = parse_network_file(network_file_bytes(info, some_weights(info.shape, 5)), "here");
    EXPECT_EQ(read.info.shape, info.shape);
    EXPECT_EQ(read.info.rules, Rules::squares);
    EXPECT_EQ(read.info.precision, precision);
    EXPECT_EQ(read.info.track, "distilled");
    EXPECT_EQ(read.info.step, 12345678901U);
    EXPECT_EQ(read.info.extra, info.extra);
  }
}

TEST(NetworkFile, ItComputesWhatTheWeightsDo) {
  const TemporaryDirectory dir;
  const NetworkInfo info = info_of(16, 3, Precision::float32);
  const Floats weights = some_weights(info.shape, 5);
  const std::string bytes = network_file_bytes(info, weights);
  write_file_atomic(dir / "a.light", bytes);
  const auto direct = PairsKernel::make(info.shape, weights);
  const LightNetwork loaded = load_network_file(dir / "a.light"), parsed = parse_network_file(bytes, "a");
  std::ofstream(dir / "a.light").close();  // shorter now: what was read stays
  const auto room = direct->new_workspace();
  for (const Position& p : unfinished_positions(50, Rules::lines, 3)) {
    const PairsOutput expected = direct->forward(p, *room);
    for (const LightNetwork* network : {&loaded, &parsed}) {
      const PairsOutput got = network->kernel->forward(p, *network->kernel->new_workspace());
      EXPECT_EQ(got.policy, expected.policy);
      EXPECT_EQ(got.outcome, expected.outcome);
    }
  }
}

TEST(NetworkFile, HalfPrecisionIsTheNetworkOfTheRoundedWeights) {
  NetworkInfo info = info_of(16, 1, Precision::float16);
  Floats weights = some_weights(info.shape, 5);
  const std::string bytes = network_file_bytes(info, weights);
  EXPECT_LT(bytes.size(), weights.size() * 2 + 600);
  const LightNetwork read = parse_network_file(bytes, "half");
  for (float& w : weights) w = from_float16(to_float16(w));
  const auto rounded = PairsKernel::make(info.shape, weights);
  for (const Position& p : unfinished_positions(20, Rules::lines, 4)) {
    EXPECT_EQ(read.kernel->forward(p, *read.kernel->new_workspace()).policy,
              rounded->forward(p, *rounded->new_workspace()).policy);
  }
}

TEST(NetworkFile, AReaderDoesNotLearn) {
  const NetworkInfo info = info_of(16, 1, Precision::float32);
  const LightNetwork read = parse_network_file(network_file_bytes(info, some_weights(info.shape, 5)), "here");
  const auto room = read.kernel->new_workspace();
  Floats gradient(static_cast<std::size_t>(PairsLayout(info.shape).size));
  const PairsOutput d = read.kernel->forward(Position(), *room);
  EXPECT_THROW(read.kernel->backward(d, *room, gradient), std::logic_error);
}

TEST(NetworkFile, EveryDamagedByteIsNoticed) {
  const NetworkInfo info = info_of(16, 1, Precision::float16);
  const std::string bytes = network_file_bytes(info, some_weights(info.shape, 5));
  for (std::size_t i = 0; i < bytes.size(); i += i < 600 ? 1 : 997) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(parse_network_file(damaged, "x"), NetworkFileError) << "byte " << i;
  }
}

TEST(NetworkFile, EveryCutIsNoticed) {
  const NetworkInfo info = info_of(16, 1, Precision::float16);
  const std::string bytes = network_file_bytes(info, some_weights(info.shape, 5));
  for (std::size_t n = 0; n < bytes.size(); n += n < 600 ? 1 : 997) {
    EXPECT_THROW(parse_network_file(bytes.substr(0, n), "x"), NetworkFileError) << n << " bytes";
  }
  EXPECT_THROW(parse_network_file(bytes + "more", "x"), NetworkFileError);
}

// A file with this text and these bytes after it, and a right checksum.
std::string file_with(const std::string& text, const std::string& weights, std::uint32_t text_length,
                      std::uint32_t version = kNetworkFileVersion) {
  std::string bytes = "QuartoLN";
  const auto put = [&bytes](std::uint32_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); };
  put(version);
  put(0);
  put(text_length);
  bytes += text + weights;
  const std::uint32_t checksum = crc32c(bytes);
  bytes.replace(12, 4, reinterpret_cast<const char*>(&checksum), 4);
  return bytes;
}
std::string text_of(const std::map<std::string, std::string>& keys) {
  std::string text;
  for (const auto& [key, value] : keys) text += key + " " + value + "\n";
  return text;
}

class WellChecksummed : public testing::Test {
 protected:
  std::size_t count = static_cast<std::size_t>(PairsLayout({16, 1, 32}).size);
  std::map<std::string, std::string> keys = {
      {"network", "pairs"}, {"width", "16"},    {"blocks", "1"},
      {"head", "32"},       {"rules", "lines"}, {"precision", "float32"},
      {"track", "zero"},    {"step", "1"},      {"weights", std::to_string(count)}};
  std::string weights = std::string(count * 4, '\0');

  void expect_refusal(const std::string& says) const {
    const std::string text = text_of(keys);
    EXPECT_THAT([&] { parse_network_file(file_with(text, weights, static_cast<std::uint32_t>(text.size())), "x"); },
                ThrowsMessage<NetworkFileError>(HasSubstr(says)));
  }
};

// The text here ends wherever it ends, so the weights are not aligned.
TEST_F(WellChecksummed, IsReadWhenAllIsRightAlsoUnaligned) {
  const TemporaryDirectory dir;
  for (const char* note : {"", "a", "ab", "abc"}) {
    keys["note"] = note;
    const std::string text = text_of(keys);
    write_file_atomic(dir / "x.light", file_with(text, weights, static_cast<std::uint32_t>(text.size())));
    EXPECT_EQ(load_network_file(dir / "x.light").info.extra.at("note"), note);
  }
}
// Blank lines fill it up to the numbers; a line may be a key alone, and the last one needs no end.
TEST_F(WellChecksummed, LinesOfItsTextAreAKeyAndPerhapsAValue) {
  const std::string text = "\n\nword\n" + text_of(keys) + "\nlast one";
  const LightNetwork read = parse_network_file(file_with(text, weights, static_cast<std::uint32_t>(text.size())), "x");
  EXPECT_EQ(read.info.extra, (std::map<std::string, std::string>{{"word", ""}, {"last", "one"}}));
}
TEST_F(WellChecksummed, AMissingKeyIsRefused) {
  const auto all = keys;
  for (const auto& [key, value] : all) {
    keys = all;
    keys.erase(key);
    expect_refusal("'" + key + "' is missing");
  }
}
TEST_F(WellChecksummed, ImpossibleValuesAreRefused) {
  const auto all = keys;
  const std::map<std::string, std::vector<std::string>> wrong = {
      {"network", {"residual"}}, {"width", {"24", "-16", "1e9", ""}},
      {"blocks", {"0", "17"}},   {"head", {"31"}},
      {"rules", {"circles"}},    {"precision", {"float8"}},
      {"step", {"soon"}},        {"weights", {"0", "100", "99999999999999999999"}}};
  for (const auto& [key, values] : wrong) {
    for (const std::string& value : values) {
      keys = all;
      keys[key] = value;
      expect_refusal("not a usable network file");
    }
  }
  // Numbers in range, of which the number of weights would not be right either.
  for (const auto& [key, value] : {std::pair("width", "24"), std::pair("head", "31"), std::pair("blocks", "0")}) {
    keys = all;
    keys[key] = value;
    expect_refusal("does not have networks of its shape");
  }
}
TEST_F(WellChecksummed, AKeyThatIsThereTwiceIsRefused) {
  const std::string text = text_of(keys) + "width 16\n";
  EXPECT_THROW(parse_network_file(file_with(text, weights, static_cast<std::uint32_t>(text.size())), "x"),
               NetworkFileError);
}
TEST_F(WellChecksummed, ATextLongerThanTheFileIsRefused) {
  for (const std::uint32_t length : {0xFFFFFFFFU, 0x7FFFFFFFU, static_cast<std::uint32_t>(weights.size()) + 1000}) {
    EXPECT_THROW(parse_network_file(file_with(text_of(keys), weights, length), "x"), NetworkFileError);
  }
}
TEST_F(WellChecksummed, TooFewOrTooManyWeightsAreRefused) {
  for (const std::size_t size : {weights.size() - 4, weights.size() + 4, std::size_t{0}}) {
    weights.resize(size);
    expect_refusal("the number of weights");
  }
}
TEST_F(WellChecksummed, TablesThatAnOlderVersionDoesNotHaveAreZeros) {
  for (std::uint32_t version = kOldestNetworkFileVersion; version <= kNetworkFileVersion; ++version) {
    const int tables = kOldestTables + static_cast<int>(version - kOldestNetworkFileVersion);
    const std::vector<float> stored(static_cast<std::size_t>(PairsLayout({16, 1, 32}).size_with(tables)), 0.5F);
    weights.assign(reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(float));
    keys["weights"] = std::to_string(stored.size());
    const std::string text = text_of(keys);
    const LightNetwork read =
        parse_network_file(file_with(text, weights, static_cast<std::uint32_t>(text.size()), version), "x");
    std::vector<float> expected = stored;
    expected.resize(count, 0.0F);
    EXPECT_TRUE(std::ranges::equal(read.weights, expected)) << "version " << version;
  }
}
TEST_F(WellChecksummed, AWeightThatIsNoNumberIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  weights.replace(400, 4, reinterpret_cast<const char*>(&nan), 4);
  expect_refusal("not a finite number");
}

TEST(NetworkFile, SaysWhatIsWrongAndWhere) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "model.safetensors", "not one of ours");
  EXPECT_THAT([&] { load_network_file(dir / "model.safetensors"); },
              ThrowsMessage<NetworkFileError>(AllOf(HasSubstr("model.safetensors"), HasSubstr("quartozero export"))));
  EXPECT_THROW(load_network_file(dir / "absent.light"), FileError);
  EXPECT_FALSE(is_network_file(dir / "model.safetensors"));
  EXPECT_FALSE(is_network_file(dir.path()));
  EXPECT_THROW(is_network_file(dir / "absent.light"), FileError);
  write_file_atomic(dir / "short.light", "Quarto");
  EXPECT_FALSE(is_network_file(dir / "short.light"));
  const NetworkInfo info = info_of(16, 1, Precision::float32);
  std::string later = network_file_bytes(info, some_weights(info.shape, 5));
  for (const std::uint32_t version : {0U, kOldestNetworkFileVersion - 1, kNetworkFileVersion + 1}) {
    later[8] = static_cast<char>(version);
    EXPECT_THAT([&] { parse_network_file(later, "later"); },
                ThrowsMessage<NetworkFileError>(HasSubstr("format version is " + std::to_string(version) +
                                                          ", this program reads version " +
                                                          std::to_string(kNetworkFileVersion))));
  }
  write_file_atomic(dir / "a.light", network_file_bytes(info, some_weights(info.shape, 5)));
  EXPECT_TRUE(is_network_file(dir / "a.light"));
}

TEST(NetworkFile, RefusesToWriteWhatCouldNotBeRead) {
  NetworkInfo info = info_of(16, 1, Precision::float16);
  Floats weights = some_weights(info.shape, 5);
  weights[7] = 70000;
  EXPECT_THAT([&] { network_file_bytes(info, weights); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("too large for float16")));
  weights[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument);
  weights[7] = 0;
  EXPECT_THROW(network_file_bytes(info, std::span(weights).first(weights.size() - 1)), std::invalid_argument);
  for (const auto& [key, text] :
       std::map<std::string, std::string>{{"two words", ""}, {"", "x"}, {"x", "two\nlines"}}) {
    info.extra = {{key, text}};
    EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument) << key;
  }
  info.extra = {{"width", "17"}};
  EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument);
  info.extra = {};
  info.shape.width = 24;
  EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument);
}

TEST(Float16, EveryNumberSurvives) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = from_float16(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_float16(to_float16(value))));
    } else {
      EXPECT_EQ(to_float16(value), bits);
    }
  }
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  // Neighbours and the point half way between them, from the least to the greatest.
  for (std::uint16_t i = 0; i < 0x7BFF; ++i) {
    const float low = from_float16(i), high = from_float16(static_cast<std::uint16_t>(i + 1)), half = (low + high) / 2;
    const std::uint16_t even = i % 2 == 0 ? i : static_cast<std::uint16_t>(i + 1);
    ASSERT_EQ(to_float16(half), even) << half;
    ASSERT_EQ(to_float16(std::nextafter(half, low)), i) << half;
    ASSERT_EQ(to_float16(std::nextafter(half, high)), i + 1) << half;
    ASSERT_EQ(to_float16(-half), even | 0x8000U) << half;
  }
  EXPECT_EQ(to_float16(65519.0F), 0x7BFF);
  EXPECT_EQ(to_float16(65520.0F), 0x7C00);
  EXPECT_EQ(to_float16(-1e30F), 0xFC00);
}

}  // namespace
}  // namespace quarto::light
