// The light file: what goes in comes out, and nothing else passes for one.
#include "light/network_file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <map>

#include "base/checksum.h"
#include "base/file.h"
#include "env/random_play.h"
#include "light/integer_pairs.h"
#include "tests/light/some_weights.h"
#include "tests/support/temporary_directory.h"

namespace quarto::light {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const PairsShape kShape{16, 1, 32};

NetworkInfo some_info() {
  NetworkInfo info;
  info.track = "distilled";
  info.step = 12345678901;
  info.extra = {{"agreement_deep", "79.2 of 100, raw network"}, {"empty", ""}};
  return info;
}
std::string some_file() { return network_file_bytes(some_info(), some_integers(kShape, 5)); }

TEST(NetworkFile, KeepsWhatItSaysOfItself) {
  NetworkInfo info = some_info();
  info.rules = Rules::squares;
  const PairsShape shape{32, 2, 32};
  const LightNetwork read = parse_network_file(network_file_bytes(info, some_integers(shape, 5)), "here");
  EXPECT_EQ(read.info.shape, shape);
  EXPECT_EQ(read.info.rules, Rules::squares);
  EXPECT_EQ(read.info.track, "distilled");
  EXPECT_EQ(read.info.step, 12345678901U);
  EXPECT_EQ(read.info.extra, info.extra);
}

TEST(NetworkFile, ItComputesWhatTheWeightsDo) {
  const TemporaryDirectory dir;
  const PairsShape shape{16, 3, 32};
  const IntegerWeights weights = some_integers(shape, 5);
  const std::string bytes = network_file_bytes({}, weights);
  write_file_atomic(dir / "a.light", bytes);
  const auto direct = make_integer_kernel(weights);
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

TEST(NetworkFile, EveryDamagedByteIsNoticed) {
  const std::string bytes = some_file();
  for (std::size_t i = 0; i < bytes.size(); i += i < 600 ? 1 : 997) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(parse_network_file(damaged, "x"), NetworkFileError) << "byte " << i;
  }
}

TEST(NetworkFile, EveryCutIsNoticed) {
  const std::string bytes = some_file();
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
  std::map<std::string, std::string> keys = {
      {"network", "pairs"}, {"width", "16"},    {"blocks", "1"}, {"head", "32"},
      {"track", "zero"},    {"rules", "lines"}, {"step", "1"},   {"fraction_bits", "7 7 6 6 7"}};
  std::string weights = bytes_of_weights();

  static std::string bytes_of_weights() {
    const std::string file = some_file();
    std::uint32_t text = 0;
    std::memcpy(&text, file.data() + 16, sizeof text);
    return file.substr(20 + text);
  }

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
      {"rules", {"circles"}},    {"fraction_bits", {"", "7 7 6 6", "7 7 6 6 12"}},
      {"step", {"soon"}}};
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
  for (const std::size_t size : {weights.size() - 1, weights.size() + 2, std::size_t{0}}) {
    weights.resize(size);
    expect_refusal("the number of weights");
  }
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
  std::string later = some_file();
  for (const char version : {0, 5, 7}) {
    later[8] = version;
    EXPECT_THAT([&] { parse_network_file(later, "later"); },
                ThrowsMessage<NetworkFileError>(
                    HasSubstr("format version is " + std::to_string(version) + ", this program reads version 6")));
  }
  write_file_atomic(dir / "a.light", some_file());
  EXPECT_TRUE(is_network_file(dir / "a.light"));
}

TEST(NetworkFile, RefusesToWriteWhatCouldNotBeRead) {
  IntegerWeights weights = some_integers(kShape, 5);
  NetworkInfo info;
  for (const auto& [key, text] :
       std::map<std::string, std::string>{{"two words", ""}, {"", "x"}, {"x", "two\nlines"}}) {
    info.extra = {{key, text}};
    EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument) << key;
  }
  info.extra = {{"width", "17"}};
  EXPECT_THROW(network_file_bytes(info, weights), std::invalid_argument);
  weights.weights[7] = 5000;
  EXPECT_THROW(network_file_bytes({}, weights), std::runtime_error);
  weights.weights.pop_back();
  EXPECT_THROW(network_file_bytes({}, weights), std::invalid_argument);
}

}  // namespace
}  // namespace quarto::light
