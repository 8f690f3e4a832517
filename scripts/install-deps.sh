#!/usr/bin/env bash
# Installs the packages that the build and the tests need and that are missing, with apt, and says which.
#
#   scripts/install-deps.sh            the tools, the libraries, and LibTorch for the processor
#   QUARTOZERO_LIBTORCH=own scripts/...    the same without Debian's LibTorch (for a build against another one)
set -euo pipefail

packages=(
  g++ cmake ninja-build                     # compiler and build
  libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev
  libboost-dev                              # headers of the HTTP server
  libzstd-dev                               # replay shards
  libhiredis-dev redis-server redis-tools   # self-play on many machines, and its tests
  libonnx-dev libprotobuf-dev protobuf-compiler   # model export
  libgtest-dev libgmock-dev                 # tests
  pybind11-dev python3-dev python3-numpy    # the Python module
)
# LibTorch needs OpenBLAS beside it: with Debian's reference BLAS networks run 5 to 60 times slower.
[ "${QUARTOZERO_LIBTORCH:-debian}" = own ] || packages+=(libtorch-dev libopenblas0-openmp)
# Node runs exported models in ONNX Runtime, for the export's check. Any node and npm on the path will do.
command -v node > /dev/null || packages+=(nodejs)
command -v npm > /dev/null || packages+=(npm)

exec "$(dirname "$0")/apt-install.sh" "${packages[@]}"
