#!/usr/bin/env bash
# Prints the folder for the temporary files of tests: one in memory if there is one with a gigabyte free in which programs
# may be run, else the usual one. Tests write many small files and flush each: on a disk they would wait for longer than they
# compute. Whether the flushes are asked for is checked by app_fault, on any file system.
set -euo pipefail
usual=${TMPDIR:-/tmp} memory=/dev/shm
if [ -n "${TMPDIR:-}" ] || [ ! -w "$memory" ] || [ "$(df --output=avail -k "$memory" | tail -n 1)" -lt 1048576 ]; then
  echo "$usual"
  exit
fi
# Some tests compile programs and run them; containers often forbid it here.
try=$(mktemp "$memory/quartozero-XXXXXX")
trap 'rm -f "$try"' EXIT
printf '#!/bin/sh\n' > "$try"
chmod +x "$try"
if "$try" 2> /dev/null; then echo "$memory"; else echo "$usual"; fi
