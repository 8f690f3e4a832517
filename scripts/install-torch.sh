#!/usr/bin/env bash
# Installs a release of PyTorch from PyPI, for its LibTorch, into a virtual environment, and says what it downloads.
#
#   scripts/install-torch.sh VERSION VENV
#
# VENV/libtorch then holds the path of LibTorch's folder, for cmake's QUARTOZERO_TORCH_DIR.
set -euo pipefail
version=${1:?usage: scripts/install-torch.sh VERSION VENV}
venv=${2:?usage: scripts/install-torch.sh VERSION VENV}
[ ! -s "$venv/libtorch" ] || exit 0

python3 -c 'import ensurepip, venv' 2> /dev/null || "$(dirname "$0")/apt-install.sh" python3 python3-venv
python3 -m venv "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }
# crt: the part of CUDA's headers that PyTorch itself does not ask for.
packages=("torch==$version" "cuda-toolkit[crt]")

pip install --quiet --dry-run --report "$venv/report.json" "${packages[@]}"
"$venv/bin/python" - "$venv" << 'END'
import json, sys, urllib.request

packages = json.load(open(sys.argv[1] + "/report.json"))["install"]
size = 0
for package in packages:
    request = urllib.request.Request(package["download_info"]["url"], method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            size += int(answer.headers["Content-Length"])
    except (OSError, TypeError, ValueError) as error:
        print(f"size of {package['metadata']['name']}: not known ({error})")
print(f"installing {len(packages)} packages from PyPI into {sys.argv[1]}: {size / 1e9:.1f} GB to download, "
      "not quite twice that on disk:")
print("  " + " ".join(sorted(p["metadata"]["name"] + "-" + p["metadata"]["version"] for p in packages)), flush=True)
END
pip install --quiet --no-cache-dir "${packages[@]}"
"$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib") + "/torch")' > "$venv/libtorch"
