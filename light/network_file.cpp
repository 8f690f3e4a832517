#include "light/network_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>

#include "base/checksum.h"
#include "base/file.h"
#include "base/number.h"
#include "env/notation.h"
#include "light/integer_pairs.h"

namespace quarto::light {
namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are read as they lie");

constexpr std::string_view kMagic = "QuartoLN";
constexpr const char* kKind = "pairs";

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version, checksum, text;
};
static_assert(sizeof(Header) == 20);

std::uint32_t checksum_of(Header header, std::string_view rest) {
  header.checksum = 0;
  return crc32c(rest, crc32c({reinterpret_cast<const char*>(&header), sizeof header}));
}

std::size_t bytes_of_entry(const PairsLayout::Entry& entry) {
  return static_cast<std::size_t>(entry.rows * entry.cols) * (is_matrix(entry) ? 1 : 2);
}

std::size_t bytes_of_weights(const PairsLayout& layout) {
  std::size_t bytes = layout.entries.size();
  for (const PairsLayout::Entry& e : layout.entries) bytes += bytes_of_entry(e);
  return bytes;
}

void append_bytes(std::string& to, const void* from, std::size_t size) {
  to.append(static_cast<const char*>(from), size);
}

std::string integer_bytes(const IntegerWeights& weights) {
  std::string bytes(weights.shifts.begin(), weights.shifts.end());
  const PairsLayout layout(weights.shape);
  for (const PairsLayout::Entry& e : layout.entries) {
    for (int i = e.offset; i < e.offset + e.rows * e.cols; ++i) {
      const std::int16_t w = weights.weights[static_cast<std::size_t>(i)];
      const auto byte = static_cast<std::int8_t>(w);
      if (is_matrix(e))
        append_bytes(bytes, &byte, sizeof byte);
      else
        append_bytes(bytes, &w, sizeof w);
    }
  }
  return bytes;
}

IntegerWeights integers_from(std::string_view bytes, const PairsShape& shape, std::vector<std::uint8_t> bits) {
  const PairsLayout layout(shape);
  IntegerWeights weights{shape, std::move(bits), {}, std::vector<std::int16_t>(static_cast<std::size_t>(layout.size))};
  const char* from = bytes.data();
  for (std::size_t i = 0; i < layout.entries.size(); ++i) weights.shifts.push_back(static_cast<std::uint8_t>(*from++));
  for (const PairsLayout::Entry& e : layout.entries) {
    for (int i = e.offset; i < e.offset + e.rows * e.cols; ++i) {
      std::int16_t& w = weights.weights[static_cast<std::size_t>(i)];
      if (is_matrix(e)) {
        w = static_cast<std::int8_t>(*from++);
      } else {
        std::memcpy(&w, from, sizeof w);
        from += sizeof w;
      }
    }
  }
  return weights;
}

using Texts = std::map<std::string, std::string>;

// The keys of the format; all others belong to NetworkInfo::extra.
Texts texts_of(const NetworkInfo& info, const IntegerWeights& weights) {
  return {{"network", kKind},
          {"width", std::to_string(weights.shape.width)},
          {"blocks", std::to_string(weights.shape.blocks)},
          {"head", std::to_string(weights.shape.head)},
          {"rules", std::string(name_of(info.rules))},
          {"fraction_bits", fmt::format("{}", fmt::join(weights.bits, " "))},
          {"track", info.track},
          {"step", std::to_string(info.step)}};
}

// Parses the text of a file; each get() removes the key that it returns.
class Reader {
 public:
  Reader(std::string_view text, std::string origin) : origin_(std::move(origin)) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.empty()) continue;
      const auto blank = line.find(' ');
      const std::string key(line.substr(0, blank));
      const std::string value(blank == std::string_view::npos ? "" : line.substr(blank + 1));
      if (!texts_.emplace(key, value).second) fail(fmt::format("'{}' is there twice", key));
    }
  }
  std::string get(const std::string& key) {
    const auto node = texts_.extract(key);
    if (node.empty()) fail(fmt::format("'{}' is missing", key));
    return node.mapped();
  }
  template <class Number>
  Number number(const std::string& key, Number most) {
    const std::string text = get(key);
    const auto n = number_from<Number>(text);
    if (!n || *n > most) fail(fmt::format("'{}' is '{}', not a number up to {}", key, text, most));
    return *n;
  }
  // Numbers with a blank between them.
  std::vector<std::uint8_t> numbers(const std::string& key, std::uint8_t most) {
    std::string text = get(key) + ' ';
    std::vector<std::uint8_t> all;
    for (std::size_t begin = 0, end; (end = text.find(' ', begin)) != std::string::npos; begin = end + 1) {
      const auto n = number_from<std::uint8_t>(std::string_view(text).substr(begin, end - begin));
      if (!n || *n > most) fail(fmt::format("'{}' has something else than numbers up to {}", key, most));
      all.push_back(*n);
    }
    return all;
  }
  Texts rest() { return std::move(texts_); }
  [[noreturn]] void fail(const std::string& what) const {
    throw NetworkFileError(fmt::format("{}: not a usable network file: {}", origin_, what));
  }

 private:
  std::string origin_;
  Texts texts_;
};

Rules rules_from(Reader& in) {
  const std::string text = in.get("rules");
  if (const auto rules = value_named<Rules>(text)) return *rules;
  in.fail(fmt::format("'rules' is '{}'; the rules are {}", text, rules_in_words()));
}

}  // namespace

std::string network_file_bytes(const NetworkInfo& info, const IntegerWeights& weights) {
  require_usable(weights);
  Texts texts = texts_of(info, weights);
  for (const auto& [key, text] : info.extra) {
    if (key.empty() || key.find_first_of(" \n") != std::string::npos || text.find('\n') != std::string::npos)
      throw std::invalid_argument(fmt::format("'{}' cannot be noted in a network file", key));
    if (!texts.emplace(key, text).second) throw std::invalid_argument(fmt::format("'{}' is noted already", key));
  }
  std::string text;
  for (const auto& [key, value] : texts) text += fmt::format("{} {}\n", key, value);

  Header header{};
  std::memcpy(header.magic.data(), kMagic.data(), kMagic.size());
  header.version = kNetworkFileVersion;
  header.text = static_cast<std::uint32_t>(text.size());
  const std::string rest = text + integer_bytes(weights);
  header.checksum = checksum_of(header, rest);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + rest;
}

LightNetwork parse_network_file(std::string_view bytes, const std::string& origin) {
  const auto fail = [&origin](const std::string& what) { throw NetworkFileError(fmt::format("{}: {}", origin, what)); };
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    fail("not a network for the light player (those are made by 'quartozero export CHECKPOINT --light FILE')");
  }
  Header header{};
  if (bytes.size() < sizeof header) fail("cut off: the header is not complete");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kNetworkFileVersion) {
    fail(fmt::format("its format version is {}, this program reads version {}", header.version, kNetworkFileVersion));
  }
  const std::string_view rest = bytes.substr(sizeof header);
  if (checksum_of(header, rest) != header.checksum) fail("damaged or cut off: the checksum is not right");
  if (header.text > rest.size()) fail("impossible length of the text");

  Reader in(rest.substr(0, header.text), origin);
  LightNetwork network;
  NetworkInfo& info = network.info;
  if (const std::string kind = in.get("network"); kind != kKind) in.fail(fmt::format("its network is '{}'", kind));
  info.shape = {in.number("width", 64), in.number("blocks", 16), in.number("head", 64)};
  info.rules = rules_from(in);
  info.track = in.get("track");
  info.step = in.number("step", ~std::uint64_t{0});
  std::vector<std::uint8_t> bits = in.numbers("fraction_bits", kMostFractionBits);
  info.extra = in.rest();
  if (!PairsKernel::supports(info.shape)) in.fail("this engine does not have networks of its shape");
  if (bits.size() != IntegerWeights::bits_of(info.shape))
    in.fail(
        fmt::format("'fraction_bits' has {} numbers, its shape {}", bits.size(), IntegerWeights::bits_of(info.shape)));
  const std::string_view numbers = rest.substr(header.text);
  if (numbers.size() != bytes_of_weights(PairsLayout(info.shape)))
    in.fail("the number of weights is not that of its shape");
  try {
    network.weights = std::make_shared<const IntegerWeights>(integers_from(numbers, info.shape, std::move(bits)));
    network.kernel = make_integer_kernel(*network.weights);
  } catch (const std::runtime_error& e) {
    fail(e.what());
  }
  return network;
}

LightNetwork load_network_file(const std::filesystem::path& path) {
  return parse_network_file(read_file(path), path.string());
}

bool is_network_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(fmt::format("{}: cannot be opened", path.string()));
  std::array<char, kMagic.size()> start{};
  file.read(start.data(), start.size());
  return static_cast<std::size_t>(file.gcount()) == start.size() &&
         std::string_view(start.data(), start.size()) == kMagic;
}

}  // namespace quarto::light
