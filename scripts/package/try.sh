#!/usr/bin/env bash
# Installs a Debian package of this project into a new Debian 12 root and tries the programs there. Needs root and
# debootstrap; downloads some 500 MB, most of it LibTorch, and removes everything afterwards.
#
#   scripts/package/try.sh FILE.deb
set -euo pipefail
package=$(realpath "${1:?usage: scripts/package/try.sh FILE.deb}")
source "$(dirname "$0")/root.sh"
root=$(mktemp -d)
trap 'umount "$root/proc" 2> /dev/null || true; rm -rf --one-file-system "$root"; rm -f "$root.log"' EXIT

new_root "$root"
mount -t proc proc "$root/proc"
cp "$package" "$root/tmp/"

echo "installing $(basename "$package") and what it depends on"
in_root "$root" apt-get -qq install -y --no-install-recommends "/tmp/$(basename "$package")" >> "$root.log" 2>&1 || {
  tail -n 20 "$root.log" >&2
  exit 1
}
rm -f "$root.log"

run() {
  echo "+ $*"
  in_root "$root" "$@" < /dev/null
}
run quartozero --version
run quartozero doctor
run quartozero solve "..../2F.A/E9../.8B3 -" --moves
run sh -c 'printf "uqi\nquit\n" | quartozero-engine | head -n 5'
run sh -c 'printf "position start moves 0 a1 7\ngo sims 200\n" | quartozero-engine | grep bestmove'
run quartozero eval /usr/share/quartozero/checkpoints/zero --simulations 0 --limit 5 --no-baselines
run quartozero train /usr/share/quartozero/configs/demo.yaml --out /tmp/run --set limits.iterations=1 --set limits.games=20 --set evaluation.positions=2 --set evaluation.match_games=0
run sh -c 'quartozero-serve --port 0 > /tmp/serve.log 2>&1 & sleep 2; kill $!; cat /tmp/serve.log'
for file in /usr/share/man/man1/quartozero-train.1.gz /usr/share/man/man1/quartozero-train.1 \
  /usr/share/doc/quartozero/copyright /usr/share/doc/quartozero/docs/formats.md /usr/share/bash-completion/completions/quartozero /lib/systemd/system/quartozero-serve.service /usr/lib/systemd/system/quartozero-serve.service; do
  if [ -e "$root$file" ]; then echo "there: $file"; fi
done
run dpkg --remove quartozero
in_root "$root" sh -c 'test ! -e /usr/bin/quartozero && test ! -e /usr/share/quartozero'
echo "installed, tried and removed without anything left"
