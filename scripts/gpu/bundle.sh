#!/usr/bin/env bash
# Unpacks the Debian packages that the build needs besides LibTorch into .gpu/root, to be carried to a machine that has
# PyTorch and CUDA but cannot install anything. Run it where apt works. (About 40 MB; git ignores it.)
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(
  libyaml-cpp-dev libyaml-cpp0.7 libcli11-dev nlohmann-json3-dev libspdlog-dev libspdlog1.10 libfmt-dev libfmt9
  libzstd-dev libzstd1 libhiredis-dev libhiredis0.14 libgtest-dev libgmock-dev libprotobuf-dev libprotobuf32
  libboost1.74-dev
)
mkdir -p .gpu
work=$(mktemp -d .gpu/new-XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debs" "$work/root"
(cd "$work/debs" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}")
for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$work/root"; done
# Only now: without network the bundle that is there stays.
rm -rf .gpu/root
mv "$work/root" .gpu/root
rm -rf .gpu/root/usr/share/doc
# Only what a test links; the rest of protobuf is large.
rm -f .gpu/root/usr/lib/x86_64-linux-gnu/libprotobuf*.a .gpu/root/usr/lib/x86_64-linux-gnu/libprotobuf-lite*
# Of Boost what Asio and Beast include.
find .gpu/root/usr/include/boost -mindepth 1 -maxdepth 1 -type d | grep -vE '/(asio|assert|beast|bind|config|container|container_hash|core|date_time|detail|exception|function|intrusive|io|move|mp11|mpl|numeric|optional|preprocessor|regex|smart_ptr|system|type_traits|utility)$' | xargs rm -rf
du -sh .gpu/root
