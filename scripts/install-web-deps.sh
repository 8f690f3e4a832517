#!/usr/bin/env bash
# Installs what the browser player needs and what is missing, with apt, and says which.
#
#   scripts/install-web-deps.sh          to build the page: emscripten, {fmt}, a compiler for this machine, and the node that emscripten runs in
#   scripts/install-web-deps.sh tests    to test it, too: Chromium and npm
set -euo pipefail

packages=(emscripten libfmt-dev g++)
command -v node > /dev/null || packages+=(nodejs)
if [ "${1:-}" = tests ]; then
  [ -n "${CHROMIUM:-}" ] || packages+=(chromium)
  command -v npm > /dev/null || packages+=(npm)
fi
exec "$(dirname "$0")/apt-install.sh" "${packages[@]}"
