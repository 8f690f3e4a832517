#!/usr/bin/env bash
# Every program that is linked with LibTorch loads the C++ library before it (cmake/torch.cmake says why), and so does our own
# library. The program that loads that one has the C++ library already (torch_library.sh).
#
#   tests/scripts/first_library.sh BUILD
set -euo pipefail

checked=0 wrong=0
for program in "$1"/libquartozero_torch.so "$1"/tests/*/test_*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  first=$(grep -E -m 1 '^(libstdc\+\+|libc\+\+|libtorch|libc10)' <<< "$libraries" || true)
  grep -q '^libtorch' <<< "$libraries" || continue
  checked=$((checked + 1))
  case $first in
    libtorch* | libc10*) echo "$program loads $first before the C++ library"; wrong=$((wrong + 1)) ;;
  esac
done
echo "$checked programs load LibTorch, $wrong in the wrong order"
[ "$checked" -gt 0 ] && [ "$wrong" -eq 0 ]
