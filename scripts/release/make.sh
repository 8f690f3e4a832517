#!/usr/bin/env bash
# Makes what a release consists of, from a commit, with the targets of the Makefile, into build-release/: it is there when all
# of it is. What the steps print is in build-release.logs/.
#
#   scripts/release/make.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build-release
work=$out.partial
logs=$PWD/$out.logs
name=quartozero-$(scripts/version.sh)
die() { echo "release: $*" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || die "commit first: the source archive is of a commit, and the rest must be of the same (git status)"
rm -rf "$out" "$work" "$logs"
mkdir "$work" "$logs"
trap 'rm -rf "$work"' EXIT
# The time in archives, wheels, packages and pages: the same whenever they are made.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

make() { command make --no-print-directory "$@"; }
# collect TARGET PATTERN [NAME]: the files that a target makes, and no older ones; one file under another name.
collect() {
  rm -rf $2
  make "$1"
  cp $2 "$work/${3:-}"
}
# pack FOLDER NAME: an archive whose bytes depend on names and contents alone.
pack() {
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --transform="flags=r;s,^\.,$2," -cf - . | gzip -9n > "$work/$2.tar.gz"
}
source_archive() { git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$work/$name-source.tar.gz"; }
package() { collect package 'build-package/*.deb'; }
# With the program of the package, so that the trainer is built once.
networks() {
  for folder in checkpoints/*/; do
    network=$(basename "$folder")
    cp "$folder/model.light" "$work/$name-$network.light"
    build-package/quartozero export "$folder" --c "$work/$name-$network.h"
  done
}
dataset() {
  make dataset BUILD=build-package DATASET_OUT="$work/dataset"
  pack "$work/dataset" "$name-dataset"
  rm -r "$work/dataset"
}
npm() { collect npm 'build-npm/*.tgz' "$name-npm.tgz"; }
site() {
  make site
  pack build-site "$name-site"
}
wheel() { collect wheel 'build-wheel/*.whl'; }
wheel_aarch64() { collect wheel-aarch64 'build-aarch64/wheel/*.whl'; }
windows() { collect windows 'build-windows/*.zip'; }
bill() { scripts/release/bom.py "$work" "$name" > "$logs/bill.json" && mv "$logs/bill.json" "$work/$name.cdx.json"; }
sums() { (cd "$work" && sha256sum -- * > "$logs/sums" && mv "$logs/sums" SHA256SUMS); }

times=
for step in source_archive package networks dataset npm site wheel wheel_aarch64 windows bill sums; do
  echo "release: $step"
  start=$SECONDS status=0
  # Not as a condition: a function that is one does not stop at its first failure.
  set +e
  (set -e; "$step") > "$logs/$step.txt" 2>&1
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    tail -n 30 "$logs/$step.txt" >&2
    die "$step failed: the end of what it said is above, all of it in $logs/$step.txt. There is no $out/."
  fi
  times+=$(printf '%12d s  %s' $((SECONDS - start)) "$step")$'\n'
done
mv "$work" "$out"
printf '\n%s\n%s/ of commit %s:\n' "$times" "$out" "$(git rev-parse --short HEAD)"
(cd "$out" && stat -c '%12s B  %n' -- *)
