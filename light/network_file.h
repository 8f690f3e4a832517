// The light file: a pairs network in one small file, for programs without LibTorch. It is checked completely.
// `quartozero export --light` writes it, by convention as *.light.
//
//     0    8   "QuartoLN"
//     8   u32  format version, 5
//    12   u32  CRC-32C of the whole file with this field zero
//    16   u32  T, the length of the text
//    20    T   UTF-8 lines "key value\n", padded with further '\n' so that 20 + T is a multiple of 64
//  20+T        the weights, one after the other in PairsLayout's order, gaps included: IEEE 754, little-endian,
//              32 bits each (precision float32) or 16 (float16). Of precision int8 (light/integer_pairs.h): a byte for
//              each entry of PairsLayout, its shift, then the numbers of each entry without gaps, in two's complement,
//              little-endian: 8 bits each of a matrix, 16 of what is not
//
// The keys of the text: network ("pairs"), width, blocks, head, rules, precision, weights (their number, with gaps),
// track, step, fraction_bits (int8), then the keys that the exporter adds (for example agreement with exact play).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/rules.h"
#include "light/pairs_kernel.h"

namespace quarto::light {

inline constexpr std::uint32_t kNetworkFileVersion = 5;

// The file is not a light file, is damaged, or has another version. The message names the file.
class NetworkFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Precision { float32, float16, int8 };
std::string to_string(Precision precision);
Precision parse_precision(std::string_view text);  // throws std::invalid_argument

struct NetworkInfo {
  PairsShape shape{};
  Rules rules = Rules::lines;
  Precision precision = Precision::float32;
  std::string track = "zero";  // "zero" (no oracle anywhere in training) or "distilled" (exact labels)
  std::uint64_t step = 0;      // learner steps
  // Of int8, IntegerWeights::bits. To write: those; if empty, good ones are looked for.
  std::vector<std::uint8_t> fraction_bits{};
  // Other keys, e.g. "agreement_decisive". Keys have no blanks, texts no line breaks.
  std::map<std::string, std::string> extra{};
};

struct LightNetwork {
  NetworkInfo info;
  std::shared_ptr<const PairsKernel> kernel;  // forward only
  std::shared_ptr<const Floats> weights;      // in PairsLayout's order; what integers stand for
};

// The bytes of the file. `weights` have the order and size of PairsLayout(info.shape). Throws std::invalid_argument for
// a shape that PairsKernel does not support, an invalid extra entry, or weights that the precision cannot hold.
std::string network_file_bytes(const NetworkInfo& info, std::span<const float> weights);

// Throws NetworkFileError, FileError.
LightNetwork load_network_file(const std::filesystem::path& path);
// The same of a file in memory. `origin` is the name for messages. Throws NetworkFileError.
LightNetwork parse_network_file(std::string_view bytes, const std::string& origin);
// True if the file starts with the magic number. False for a directory. Throws FileError if the file cannot be read.
bool is_network_file(const std::filesystem::path& path);

}  // namespace quarto::light
