// The light file: a pairs network in one small file, for programs without LibTorch. It is checked completely.
// `quartozero export --light` writes it, by convention as *.light.
//
//     0    8   "QuartoLN"
//     8   u32  format version, 6
//    12   u32  CRC-32C of the whole file with this field zero
//    16   u32  T, the length of the text
//    20    T   UTF-8 lines "key value\n"
//  20+T        the weights in integers (docs/formats.md): a byte for each entry of PairsLayout, its shift; then the numbers
//              of each entry in PairsLayout's order, without gaps, in two's complement, little-endian: of a matrix 8 bits
//              each, of what is not 16
//
// The keys of the text: network ("pairs"), width, blocks, head, rules, fraction_bits, track, step, then the keys that the
// exporter adds (for example agreement with exact play).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "env/rules.h"
#include "light/integer_weights.h"
#include "light/pairs_kernel.h"

namespace quarto::light {

inline constexpr std::uint32_t kNetworkFileVersion = 6;

// The file is not a light file, is damaged, or has another version. The message names the file.
class NetworkFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct NetworkInfo {
  PairsShape shape{};
  Rules rules = Rules::lines;
  std::string track = "zero";  // "zero" (no oracle anywhere in training) or "distilled" (exact labels)
  std::uint64_t step = 0;      // learner steps
  // Other keys, e.g. "agreement_decisive". Keys have no blanks, texts no line breaks.
  std::map<std::string, std::string> extra{};
};

struct LightNetwork {
  NetworkInfo info;
  std::shared_ptr<const IntegerWeights> weights;
  std::shared_ptr<const PairsKernel> kernel;  // forward only
};

// The bytes of the file. The shape is that of `weights`. Throws what require_usable() throws, and std::invalid_argument
// for an invalid extra entry.
std::string network_file_bytes(const NetworkInfo& info, const IntegerWeights& weights);

// Throws NetworkFileError, FileError.
LightNetwork load_network_file(const std::filesystem::path& path);
// The same of a file in memory. `origin` is the name for messages. Throws NetworkFileError.
LightNetwork parse_network_file(std::string_view bytes, const std::string& origin);
// True if the file starts with the magic number. False for a directory. Throws FileError if the file cannot be read.
bool is_network_file(const std::filesystem::path& path);

}  // namespace quarto::light
