#!/usr/bin/env bash
# Makes a wheel of the Python package for aarch64, with the cross compiler, and tries it in Debian's Python for arm64 under
# qemu. For the Python of this Debian alone.
#
#   scripts/aarch64/wheel.sh OUT
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?usage: scripts/aarch64/wheel.sh OUT}
. scripts/python/log.sh

root=$PWD/build-aarch64/python
scripts/aarch64/root.sh build-aarch64/root
scripts/aarch64/root.sh --all "$root" python3-numpy libpython3-dev libstdc++6
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ -x "$root/usr/bin/python$version" ] || {
  echo "error: /usr/bin/python3 is Python $version, Debian's for arm64 is another: $(ls "$root"/usr/bin/python3*)" >&2
  exit 1
}
# Debian links the libraries of linear algebra when it configures their packages, which nothing does here.
libraries=/usr/lib/aarch64-linux-gnu
emulator=(qemu-aarch64 -L "$root" -E "LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack")
there=("${emulator[@]}" "$root/usr/bin/python$version")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run /usr/bin/python3 -m venv "$work/make"
python=$work/make/bin/python
run "$python" -m pip install --quiet -r scripts/python/wheel-tools.txt

# What the Python that builds would say of itself is said for the other one.
suffix=$("${there[@]}" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
define=--config-settings=cmake.define
echo "Python $version for aarch64: building"
run env _PYTHON_HOST_PLATFORM=linux-aarch64 "SETUPTOOLS_EXT_SUFFIX=$suffix" \
  "$python" -m pip wheel --no-deps --no-build-isolation --wheel-dir "$work/raw" \
  --config-settings=build-dir=build-aarch64/wheel-cmake "$define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64.cmake" \
  "$define.pybind11_DIR=$("$python" -m pybind11 --cmakedir)" "$define.PYTHON_MODULE_EXTENSION=$suffix" \
  "$define.Python3_INCLUDE_DIR=$root/usr/include/python$version" "$define.CMAKE_CXX_FLAGS=-isystem $root/usr/include" .
run env PATH="$work/make/bin:$PATH" "$python" -m auditwheel repair --wheel-dir "$out" "$work/raw"/*.whl

wheel=$(ls -t "$out"/*.whl | head -1)
echo "trying $(basename "$wheel") under qemu"
platform=$(basename "$wheel" .whl)
platform=${platform##*-}
run "$python" -m pip install --quiet --no-deps --only-binary=:all: --target "$work/try" --python-version "$version" \
  --implementation cp --abi "cp${version/./}" --platform "${platform%%.*}" "$wheel"
cp -r tests/python "$work/tests"
for test in arrays batch player position solver; do
  run env -C "$work/tests" PYTHONPATH="$work/try" PYTHONDONTWRITEBYTECODE=1 QUARTOZERO_SOURCE_DIR="$PWD" QUARTOZERO_EMULATOR="${emulator[*]}" \
    "${there[@]}" "${test}_test.py"
done
run env -C "$work" PYTHONPATH="$work/try" QUARTOZERO_SOURCE_DIR= "${there[@]}" "$PWD/python/example.py"
echo "Python $version: $(basename "$wheel"), $(($(stat -c %s "$wheel") / 1024)) KB, tests passed"
