#!/usr/bin/env bash
# Downloads the few arm64 packages of Debian that the build for aarch64 links or includes, and unpacks them into a folder.
# Nothing is installed: the packages and the sources of this machine's apt stay what they are.
#
#   scripts/aarch64/root.sh ROOT
#
# QUARTOZERO_DEBIAN_MIRROR names another mirror.
set -euo pipefail
root=${1:?usage: scripts/aarch64/root.sh ROOT}
mirror=${QUARTOZERO_DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=(libfmt-dev libfmt9 libgtest-dev libgmock-dev nlohmann-json3-dev libcli11-dev)

# What was unpacked for the same list is not downloaded again.
[ "$(cat "$root/packages" 2> /dev/null)" != "${packages[*]}" ] || exit 0
echo "downloading from $mirror for arm64, into $root: ${packages[*]}"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,cache/archives/partial,debs}
: > "$work/status"
echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" > "$work/sources.list"
# An apt of its own: its sources, lists and state of installation lie in the temporary folder.
options=(
  -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=
  -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status"
  -o Dir::Cache="$work/cache" -o Acquire::Languages=none
)
if ! { apt-get "${options[@]}" update && cd "$work/debs" && apt-get "${options[@]}" download "${packages[@]}"; } > "$work/log" 2>&1; then
  cat "$work/log" >&2
  echo "error: apt could not download the packages above" >&2
  exit 1
fi
cd "$OLDPWD"
rm -rf "$root"
mkdir -p "$root"
for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
echo "${packages[*]}" > "$root/packages"
