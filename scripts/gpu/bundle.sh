#!/usr/bin/env bash
# Unpacks the Debian packages that the build needs besides LibTorch into .gpu/root, to be carried to a machine that has
# PyTorch and CUDA but cannot install anything. Run it where apt works. (About 17 MB; git ignores it.)
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(
  libyaml-cpp-dev libyaml-cpp0.7 libcli11-dev nlohmann-json3-dev libspdlog-dev libspdlog1.10 libfmt-dev libfmt9
  libzstd-dev libzstd1 libhiredis-dev libhiredis0.14 libgtest-dev libgmock-dev libprotobuf-dev libprotobuf32
)
rm -rf .gpu/root
mkdir -p .gpu/debs .gpu/root
(cd .gpu/debs && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}")
for deb in .gpu/debs/*.deb; do dpkg -x "$deb" .gpu/root; done
rm -rf .gpu/root/usr/share/doc .gpu/debs
# Only what a test links; the rest of protobuf is large.
rm -f .gpu/root/usr/lib/x86_64-linux-gnu/libprotobuf*.a .gpu/root/usr/lib/x86_64-linux-gnu/libprotobuf-lite*
du -sh .gpu/root
