#!/usr/bin/env bash
# Installs those of the named Debian packages that are missing, with apt, and says which.
#
#   scripts/apt-install.sh PACKAGE...
set -euo pipefail

missing=()
for package in "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing with apt: ${missing[*]}"
if ! command -v apt-get > /dev/null; then
  echo "error: apt-get not found. On other systems, install the equivalents of: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "error: these packages need root to install; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Several may run at once, as parts of one `make`: they take turns. An apt-get of somebody else is waited for.
exec 9< "${BASH_SOURCE[0]}"
flock 9
run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >> "$log" 2>&1 9<&-; }
install() { run apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${missing[@]}"; }
# If this script got the lists of packages within the hour, they are tried first.
updated=/var/lib/apt/lists/quartozero-updated
fresh() { [ -n "$(find "$updated" -mmin -60 2> /dev/null)" ]; }
update() { run apt-get update && { run touch "$updated" || true; }; }
if ! { fresh && install; } && ! { update && install; }; then
  cat "$log" >&2
  echo "error: apt could not install the packages above" >&2
  exit 1
fi
