# For scripts that try something in a new Debian 12 system, in a folder: needs root and debootstrap.
# QUARTOZERO_DEBIAN_MIRROR names another mirror, QUARTOZERO_DEBIAN_ROOT a system made before, of which a copy is taken.

# new_root FOLDER, which ends with `rm -rf --one-file-system` and nothing mounted below it
new_root() {
  "$(dirname "${BASH_SOURCE[0]}")/../apt-install.sh" debootstrap
  if [ -n "${QUARTOZERO_DEBIAN_ROOT:-}" ]; then
    mkdir -p "$1"
    cp -a "$QUARTOZERO_DEBIAN_ROOT/." "$1"
    return
  fi
  echo "making a Debian 12 root in $1"
  debootstrap --variant=minbase bookworm "$1" "${QUARTOZERO_DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$1.log" 2>&1 ||
    { tail -n 20 "$1.log" >&2; exit 1; }
  rm "$1.log"
}

# in_root FOLDER COMMAND...: what names a proxy or a certificate authority holds there, too
in_root() {
  local root=$1 kept=()
  shift
  for variable in http_proxy https_proxy no_proxy PIP_CERT PIP_INDEX_URL; do
    [ -z "${!variable:-}" ] || kept+=("$variable=${!variable}")
  done
  if [ -n "${PIP_CERT:-}" ]; then install -D -m 644 "$PIP_CERT" "$root$PIP_CERT"; fi
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "${kept[@]}" "$@"
}
