#!/usr/bin/env bash
# Downloads arm64 packages of Debian and unpacks them into a folder, for the build for aarch64. Nothing is installed: the
# packages and the sources of this machine's apt stay what they are.
#
#   scripts/aarch64/root.sh ROOT [PACKAGE...]       these; without any, what the build links or includes
#   scripts/aarch64/root.sh --all ROOT PACKAGE...   and all that they depend on, the C library among it
#
# QUARTOZERO_DEBIAN_MIRROR names another mirror.
set -euo pipefail
all=
if [ "${1:-}" = --all ]; then
  all=yes
  shift
fi
root=${1:?usage: scripts/aarch64/root.sh [--all] ROOT [PACKAGE...]}
shift
packages=("$@")
[ ${#packages[@]} -gt 0 ] || packages=(libfmt-dev libfmt9 libgtest-dev libgmock-dev nlohmann-json3-dev libcli11-dev
  libboost1.74-dev)
mirror=${QUARTOZERO_DEBIAN_MIRROR:-http://deb.debian.org/debian}

# What was unpacked for the same list is not downloaded again.
[ "$(cat "$root/packages" 2> /dev/null)" != "${packages[*]}" ] || exit 0
echo "downloading from $mirror for arm64, into $root: ${packages[*]}${all:+ and what they depend on}"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,cache/archives/partial}
: > "$work/status"
echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" > "$work/sources.list"
# An apt of its own: its sources, lists and state of installation lie in the temporary folder.
private() {
  apt-get -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= -o APT::Install-Recommends=false \
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" -o Acquire::Languages=none "$@" >> "$work/log" 2>&1
}
get() {
  private update || return
  if [ "$all" ]; then
    private install -y --download-only -o Debug::NoLocking=1 "${packages[@]}"
  else
    (cd "$work/cache/archives" && private download "${packages[@]}")
  fi
}
if ! get; then
  cat "$work/log" >&2
  echo "error: apt could not download the packages above" >&2
  exit 1
fi
rm -rf "$root"
mkdir -p "$root"
for deb in "$work"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root"; done
echo "${packages[*]}" > "$root/packages"
