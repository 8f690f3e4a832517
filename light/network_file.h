// A pairs network as one small file, for programs without LibTorch: read in place, checked whole, written by
// `quartozero export --light`. Conventionally named *.light.
//
//     0    8   "QuartoLN"
//     8   u32  format version (1)
//    12   u32  CRC-32C of the whole file with this field zero
//    16   u32  T, the length of the text
//    20    T   UTF-8 lines "key value\n", padded with further '\n' so that 20 + T is a multiple of 64
//  20+T        the weights, one after the other in PairsLayout's order, gaps included: IEEE 754, little-endian,
//              32 bits each (precision float32) or 16 (float16)
//
// The keys of the text: network ("pairs"), width, blocks, head, rules, precision, weights (their number), track, step,
// then whatever the exporter had to add (agreement with exact play, for one).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "env/types.h"
#include "light/pairs_kernel.h"

namespace quarto::light {

inline constexpr std::uint32_t kNetworkFileVersion = 1;

// A file that is not such a network, is damaged, or is of another version. The message names the file.
class NetworkFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Precision { float32, float16 };
std::string to_string(Precision precision);
Precision parse_precision(std::string_view text);  // throws std::invalid_argument

struct NetworkInfo {
  PairsShape shape{};
  Rules rules = Rules::lines;
  Precision precision = Precision::float32;
  std::string track = "zero";  // "zero" (no oracle anywhere in training) or "distilled" (exact labels)
  std::uint64_t step = 0;      // learner steps
  // Anything else, e.g. "agreement_decisive". Keys without blanks, texts without line breaks.
  std::map<std::string, std::string> extra{};
};

struct LightNetwork {
  NetworkInfo info;
  std::shared_ptr<const PairsKernel> kernel;  // forward only; keeps the file mapped, if it was
};

// The file's bytes. `weights` are of PairsLayout(info.shape) in order and size. Throws std::invalid_argument for a
// shape that PairsKernel does not support, an impossible extra entry, or a weight that float16 cannot hold.
std::string network_file_bytes(const NetworkInfo& info, std::span<const float> weights);

// Maps the file: float32 weights are read where they lie, so while it is in use it may be replaced (by renaming another
// over it, as everything here writes) but not be changed or cut short in place. Throws NetworkFileError, FileError.
LightNetwork load_network_file(const std::filesystem::path& path);
// From memory, copied. `origin` is the name for messages. Throws NetworkFileError.
LightNetwork parse_network_file(std::string_view bytes, const std::string& origin);
// True if the file starts as such a file does. False for a directory; throws FileError if it cannot be read.
bool is_network_file(const std::filesystem::path& path);

}  // namespace quarto::light
