#!/usr/bin/env bash
# Makes wheels of the Python package and tries each in a fresh virtual environment.
#
#   scripts/python/wheels.sh OUT [PYTHON...]    PYTHON: interpreters; without, every python3.9 and later that is found
#
# The wheels run on any x86-64-v2 Linux with the named or a later C library (auditwheel), and contain the player, the solver,
# the networks, the opening book and types; they need NumPy only.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?usage: scripts/python/wheels.sh OUT [PYTHON...]}
shift
. scripts/python/log.sh
tools=$PWD/scripts/python/wheel-tools.txt

usable() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9) or not hasattr(sys, "abiflags"))' 2> /dev/null; }
pythons=("$@")
if [ ${#pythons[@]} -eq 0 ]; then
  for minor in 9 10 11 12 13 14; do
    for candidate in "/usr/bin/python3.$minor" "$(command -v "python3.$minor" || true)" "$HOME"/.pyenv/versions/"3.$minor".*/bin/python3; do
      if [ -x "$candidate" ] && usable "$candidate"; then
        pythons+=("$candidate")
        break
      fi
    done
  done
fi
if [ ${#pythons[@]} -eq 0 ]; then
  echo "no Python 3.9 or later with venv was found: apt install python3-venv" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

number=0
for python in "${pythons[@]}"; do
  number=$((number + 1))
  version=$("$python" -c 'import platform; print(platform.python_version())')
  echo "Python $version: building ($number of ${#pythons[@]})"
  run "$python" -m venv "$work/make$number"
  make=$work/make$number/bin/python
  run "$make" -m pip install --quiet -r "$tools"
  run "$make" -m pip wheel --no-deps --build-constraint "$tools" --wheel-dir "$work/raw$number" --config-settings=cmake.define.QUARTOZERO_NATIVE=OFF .
  run env PATH="$work/make$number/bin:$PATH" "$make" -m auditwheel repair --wheel-dir "$work/repaired$number" "$work/raw$number"/*.whl
  wheel=$(echo "$work/repaired$number"/*.whl)
  cp "$wheel" "$out/"

  # Where nothing of the source tree is found.
  run "$python" -m venv "$work/try$number"
  try=$work/try$number/bin/python
  run "$try" -m pip install --quiet "$wheel"
  cp -r tests/python "$work/tests$number"
  for test in arrays batch network player position solver streams; do
    run env -C "$work/tests$number" QUARTOZERO_SOURCE_DIR="$PWD" "$try" "${test}_test.py"
  done
  if "$try" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    run "$try" -m pip install --quiet --no-deps -r tests/python/requirements.txt
    run env -C "$work/tests$number" "$try" environment_test.py
    if "$try" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("pyspiel") is None)'; then
      run env -C "$work/tests$number" "$try" openspiel_test.py
    else
      echo "Python $version: OpenSpiel has no wheel for it, so openspiel_test.py did not run"
    fi
  else
    echo "Python $version: PettingZoo and OpenSpiel need a later one, so environment_test.py and openspiel_test.py did not run"
  fi
  run env -C "$work" QUARTOZERO_SOURCE_DIR= "$try" "$PWD/python/example.py"
  echo "Python $version: $(basename "$wheel"), $(($(stat -c %s "$wheel") / 1024)) KB, tests passed"
done
