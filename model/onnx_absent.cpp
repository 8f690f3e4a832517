// The functions of onnx_export.h for a build with QUARTOZERO_ONNX=OFF.
#include "model/onnx_export.h"

namespace quarto {
namespace {

[[noreturn]] void absent() {
  throw OnnxError(
      "this build has no ONNX export: configure with -DQUARTOZERO_ONNX=ON (needs libonnx-dev and libprotobuf-dev)");
}

}  // namespace

bool onnx_available() { return false; }
void export_onnx(const std::filesystem::path&, const std::filesystem::path&, const Metadata&) { absent(); }
OnnxParity check_onnx(const std::filesystem::path&, const std::filesystem::path&, const std::filesystem::path&, int,
                      std::uint64_t) {
  absent();
}
std::string missing_for_onnx_check(const std::filesystem::path&) { return "this build has no ONNX export"; }

}  // namespace quarto
