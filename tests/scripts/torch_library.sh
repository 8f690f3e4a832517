#!/usr/bin/env bash
# The program starts and plays without LibTorch, and loads libquartozero_torch.so of its own build when it needs it
# (app/torch_library.h).
#
#   tests/scripts/torch_library.sh ROOT BUILD
set -euo pipefail

root=$(realpath "$1") build=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LD_LIBRARY_PATH QUARTOZERO_NVRTC OMP_WAIT_POLICY
fail() { echo "error: $*" >&2; exit 1; }

readelf -d "$build/quartozero" > "$folder/dynamic"
grep -q "(NEEDED).*\[libstdc++" "$folder/dynamic" || fail "the C++ library is not there before LibTorch's part of it"
for library in libtorch libc10 libgomp libonnx libprotobuf; do
  ! grep -q "(NEEDED).*\[$library" "$folder/dynamic" || fail "quartozero is linked with $library"
done

cp "$build/quartozero" "$folder"
"$folder/quartozero" --help > "$folder/help"
"$folder/quartozero" solve "..../2F.A/E9../.8B3 -" > "$folder/value"
"$folder/quartozero" eval "$root/checkpoints/zero" --limit 1 --sims 0,8 --seed 1 --device cpu > "$folder/eval"

refused() { # WITH WHAT: in the folder as it is, doctor ends with 1 and this text
  local status=0
  "$folder/quartozero" doctor > "$folder/out" 2>&1 || status=$?
  [ $status -eq 1 ] || fail "with $1: status $status: $(cat "$folder/out")"
  grep -q "$2" "$folder/out" || fail "with $1: $(cat "$folder/out")"
}
refused "no library" "^MISSING *LibTorch .*no libquartozero_torch.so, .*copy it along"
# Other folders are not searched.
mkdir "$folder/here"
cp "$build/libquartozero_torch.so" "$folder/here"
(cd "$folder/here" && LD_LIBRARY_PATH="$folder/here:" refused "one elsewhere" "copy it along")
number=$(grep -o 'INTERFACE "[0-9a-f]*"' "$build/app/interface/interface.h" | cut -d '"' -f 2)
[ ${#number} -eq 64 ] || fail "interface.h has no number"
sed "s/$number/${number//[0-9]/x}/" "$build/libquartozero_torch.so" > "$folder/libquartozero_torch.so"
refused "one of another build" "built from other sources"
head -c 100000 "$build/libquartozero_torch.so" > "$folder/libquartozero_torch.so"
refused "one that is cut short" "is cut short"
echo "no library" > "$folder/libquartozero_torch.so"
refused "a file that is none" "invalid ELF header\|file too short"
if "$folder/quartozero" export "$root/checkpoints/small" --light "$folder/a.light" > "$folder/out" 2>&1; then fail "export --light is checked by nothing"; fi
grep -q "with --no-check" "$folder/out" || fail "export --light without the library: $(cat "$folder/out")"
[ ! -e "$folder/a.light" ] || fail "export --light left a file that was not checked"
"$folder/quartozero" export "$root/checkpoints/small" --light "$folder/a.light" --no-check --no-measure > "$folder/out"
if "$folder/quartozero" sweep "$root/configs/demo.yaml" --seeds 1,2 --out "$folder/sweep" > "$folder/out" 2>&1; then fail "sweep runs without the library"; fi
[ ! -e "$folder/sweep" ] || fail "sweep begins runs without the library: $(cat "$folder/out")"
cp "$build/libquartozero_torch.so" "$folder"
"$folder/quartozero" doctor > "$folder/out" || fail "with its own: $(cat "$folder/out")"
grep -q "^ok  *LibTorch" "$folder/out" || fail "doctor does not name LibTorch: $(cat "$folder/out")"

# What a release of LibTorch with CUDA brings along is found: the compiler for our GPU kernels.
if ldd "$build/libquartozero_torch.so" | grep libtorch_cuda > /dev/null; then # -q would end ldd early
  grep "GPU kernels" "$folder/out" | grep -qv "cannot be used" || fail "doctor does not compile our GPU kernels: $(cat "$folder/out")"
fi
for file in "$build/quartozero" "$build/libquartozero_torch.so"; do # an empty entry is the current folder
  path=$(readelf -d "$file" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')
  case ":$path:" in ::) ;; *::*) fail "$file has an empty entry in its run path: $path" ;; esac
done

# What OpenMP was told when it was loaded: not to spin, unless the user says so.
policy() { # COMMAND...
  OMP_DISPLAY_ENV=true "$build/quartozero" "$@" 2>&1 | grep -o "OMP_WAIT_POLICY = '[A-Z]*'" | head -n 1
}
if ! grep -q "OpenMP no" "$folder/out"; then
  told=$(policy bench model nosuchkind || true)
  [ "$told" = "OMP_WAIT_POLICY = 'PASSIVE'" ] || fail "OpenMP was told: $told"
  told=$(OMP_WAIT_POLICY=active policy bench model nosuchkind || true)
  [ "$told" = "OMP_WAIT_POLICY = 'ACTIVE'" ] || fail "the user's: $told"
fi
