# Everything a user needs, from a machine with nothing but git and make.
#
#   make demo        install what is missing, build, train for two minutes, evaluate, export, say where things are
#   make test        install what is missing, build, run every test
#   make help        list all targets

# Neither make nor what it calls can handle such a path.
$(if $(word 2,$(CURDIR)),$(error the path of this tree has a blank: $(CURDIR)))

SHELL := bash
BUILD ?= build
JOBS ?= $(shell nproc)
# The release of PyTorch that `make torch` builds against.
TORCH ?= 2.11.0
DEMO_OUT ?= runs/demo
PROGRAMS = quartozero quartozero-engine quartozero-serve quartozero_player quartozero_shell
# Extra arguments for cmake, e.g. CMAKE_ARGS="-DQUARTOZERO_TORCH_DIR=/path/to/libtorch -DQUARTOZERO_ONNX=OFF"
CMAKE_ARGS ?=
# "own": do not install Debian's LibTorch, another one is named in CMAKE_ARGS.
export QUARTOZERO_LIBTORCH ?= debian
# The tests of a build tree.
CTEST = scripts/ctest.sh $(JOBS)
ONNX_CHECK := scripts/onnx/node_modules/.package-lock.json
WEB_OUT ?= build-web
WEB_TEST_PACKAGES := tests/web/node_modules/.package-lock.json

.PHONY: help deps configure build quartozero python wheel package dataset figures npm test test-aarch64 wheel-aarch64 windows torch release demo asan tsan sanitize configure-fuzz fuzz faults soak coverage bench format tidy clean web site test-site built-for-test test-needs test-web built-for-test-web run-test-web
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile
	@echo "make quartozero  build the programs only: $(BUILD)/quartozero, quartozero-engine, quartozero-serve"
	@echo "make build       build everything: the programs, the libraries, the Python module, the tests"
	@echo "make python      build the Python module only: PYTHONPATH=$(BUILD)/python"
	@echo "make web         build the browser player into $(WEB_OUT)/"
	@echo "make test-web    build it, and test it in a browser"
	@echo "make site        build static pages of documentation, references and player into build-site/"
	@echo "make test-site   build them, and test their links and the pages in a browser"
	@echo "make test-aarch64  cross-compile the parts without LibTorch for aarch64, and test them under qemu"
	@echo "make wheel-aarch64  cross-compile a Python wheel for aarch64, and try it under qemu: build-aarch64/wheel/"
	@echo "make windows     cross-compile the engine for Windows, and test it under wine: build-windows/"
	@echo "make wheel       make Python wheels for every Python that is found: build-wheel/"
	@echo "make package     make a Debian package: build-package/"
	@echo "make npm         make the npm package: build-npm/"
	@echo "make release     make all that a release consists of from a commit: build-release/ (twenty minutes of two cores)"
	@echo "make dataset     write the suites of positions with exact values as a data set: dataset/"
	@echo "make figures     measure the agreement tables and pictures of the pages again (an hour; python3-matplotlib)"
	@echo "make deps        install the packages that the build needs (Debian), and say which"
	@echo "make torch       build and test against a release of PyTorch from PyPI, with CUDA: TORCH=$(TORCH) (2.7 GB to download)"
	@echo "make asan        build and run the tests with the address and undefined-behaviour sanitizers"
	@echo "make tsan        build and run the concurrent tests with the thread sanitizer"
	@echo "make sanitize    run the tests of the parts without LibTorch with both, as continuous integration does"
	@echo "make fuzz        fuzz every parser for 30 seconds of wall time, several at a time on each core (FUZZ_SECONDS=3600 FUZZ_JOBS=2: an hour of a core each)"
	@echo "make faults      kill, full disk, failed operation, power loss at every change to a file, for every command that writes (FAULTS=10: a sample)"
	@echo "make soak        train for six hours, in one or several sittings, with a resume every ten minutes, beside a server under load, and watch memory, descriptors and disk"
	@echo "make coverage    measure how many lines and branches of each part and parser the tests run; fail below the limit"
	@echo "make bench       run the benchmarks"
	@echo "make format      run clang-format on all sources"
	@echo "make tidy        run clang-tidy on all sources but the tests"
	@echo "make clean       remove the build trees, and with them what fuzzing has found and the LibTorch of make torch"

deps:
	@scripts/install-deps.sh

# With CONFIGURED=1 nothing is done: the tree was configured a moment ago, and a build may be running in it.
configure: $(if $(CONFIGURED),,deps)
	@[ -z "$(CONFIGURED)" ] || exit 0; mkdir -p $(BUILD); \
	  cmake --preset release -B $(BUILD) $(CMAKE_ARGS) > $(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

# The programs and what else an installation needs, without the tests and the Python module: half the time.
quartozero: configure
	@[ -e $(BUILD)/quartozero ] || echo "building the programs, once: 5 to 10 minutes on two idle cores"
	@cmake --build $(BUILD) -j $(JOBS) --target $(PROGRAMS)

# The Python module alone.
python: configure
	@cmake --build $(BUILD) -j $(JOBS) --target _quartozero

# Wheels of the Python package, each tried in a fresh virtual environment.
wheel: deps
	@scripts/apt-install.sh python3-venv
	@scripts/python/wheels.sh build-wheel $(PYTHONS)

# The suites for other programs: TSV, JSON lines, a card, checksums.
DATASET_OUT ?= dataset
dataset: quartozero
	@scripts/dataset.sh $(BUILD)/quartozero $(DATASET_OUT) $(JOBS)

# The figures in README, docs and cards that take minutes: measured again, written into docs/figures and the pages. An idle machine.
figures: quartozero
	@scripts/apt-install.sh python3-matplotlib
	@[ -d runs/demo/best ] || scripts/demo.sh $(BUILD)/quartozero
	@/usr/bin/python3 scripts/figures.py --quartozero $(BUILD)/quartozero --measure

# For other processors than this one: its own build tree.
package: deps
	@scripts/apt-install.sh dpkg-dev file
	@cmake --preset release -B build-package -DQUARTOZERO_NATIVE=OFF -DQUARTOZERO_TESTS=OFF -DQUARTOZERO_PYTHON=OFF $(CMAKE_ARGS) > /dev/null
	@cmake --build build-package -j $(JOBS)
	@cd build-package && cpack -G DEB > cpack.log || { cat cpack.log; exit 1; }
	@ls -l build-package/*.deb

# The engine for JavaScript, as `npm publish` would take it.
npm: web
	@command -v npm > /dev/null || scripts/apt-install.sh npm
	@scripts/npm-package.sh $(WEB_OUT) build-npm

# What a release consists of. scripts/release/try.sh uses each file of it once.
release:
	@scripts/release/make.sh

# ONNX Runtime for node: runs exported models, to check them against LibTorch. It brings its own CPU library.
$(ONNX_CHECK): scripts/onnx/package-lock.json | $(if $(CONFIGURED),,deps)
	@echo "installing onnxruntime-node (npm, install scripts off) to check exported models"
	@npm ci --ignore-scripts --no-audit --no-fund --prefix scripts/onnx
	@touch $@

# Packages of PyPI, pinned in tests/python/$(2), that tests find in the folder $(1). Some are compiled, so the Python is that of
# the module.
define PACKAGES
$(1)/.installed: tests/python/$(2) | configure
	@scripts/apt-install.sh python3-pip
	@echo "installing $(3) (PyPI, pinned) into $(1) for the tests of the Python module"
	@rm -rf $(1)
	@python=$$$$(sed -n 's/^Python3_EXECUTABLE:[^=]*=//p' $(BUILD)/CMakeCache.txt); python=$$$${python:-/usr/bin/python3}; \
	  "$$$$python" -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-deps --target $(1) -r $$<
	@touch $$@
test-needs: $(1)/.installed
endef
$(eval $(call PACKAGES,$(BUILD)/python-packages,requirements.txt,PettingZoo and OpenSpiel))
$(eval $(call PACKAGES,$(BUILD)/numpy-2,numpy2.txt,NumPy 2))
$(eval $(call PACKAGES,$(BUILD)/jax-packages,jax.txt,JAX))

# What tests need from elsewhere, fetched while the processor compiles. Without the browser's packages the other suites run:
# test-web asks for them again, and fails.
test-needs: $(ONNX_CHECK)
	@scripts/apt-install.sh python3-matplotlib python3-torch curl gcc-arm-none-eabi groff qemu-system-arm zsh
	@$(MAKE) --no-print-directory CONFIGURED=1 $(WEB_TEST_PACKAGES) || true

built-for-test: configure
	@$(MAKE) --no-print-directory CONFIGURED=1 test-needs & needs=$$!; trap 'kill $$needs 2> /dev/null' EXIT; \
	$(MAKE) --no-print-directory CONFIGURED=1 build; built=$$?; \
	wait $$needs || { echo "what the tests need could not be fetched: the reason is above, among the build's lines"; exit 1; }; exit $$built

# Every suite runs, whatever failed before it: one failure must not hide another. A browser's tests mostly wait, so they run
# beside the others, and what they say is printed after them.
test: built-for-test
	@failed=; web=; log=$(BUILD)/test-web.log; \
	if $(MAKE) --no-print-directory built-for-test-web; then \
	  $(MAKE) --no-print-directory run-test-web > $$log 2>&1 & web=$$!; trap 'kill $$web 2> /dev/null' EXIT; \
	else failed=" test-web"; fi; \
	$(CTEST) $(BUILD) || failed="$$failed ctest"; \
	if [ -n "$$web" ]; then wait $$web || failed="$$failed test-web"; cat $$log; fi; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

# Against the LibTorch of PyTorch's wheel, in build-torch/. Without ONNX export, which needs the protobuf of Debian's
# LibTorch, and without the Python module, which does not use LibTorch.
TORCH_BUILD = build-torch/$(TORCH)
TORCH_VENV = build-torch/venv-$(TORCH)
torch:
	@QUARTOZERO_LIBTORCH=own scripts/install-deps.sh
	@scripts/install-torch.sh $(TORCH) $(TORCH_VENV)
	@cmake --preset release -B $(TORCH_BUILD) "-DQUARTOZERO_TORCH_DIR=$$(cat $(TORCH_VENV)/libtorch)" \
	  -DQUARTOZERO_ONNX=OFF -DQUARTOZERO_PYTHON=OFF $(CMAKE_ARGS)
	@cmake --build $(TORCH_BUILD) -j $(JOBS)
	@nvrtc=$$(find $(abspath $(TORCH_VENV)) -name 'libnvrtc.so.*' | head -n 1); \
	  if [ -n "$$nvrtc" ]; then export QUARTOZERO_NVRTC=$$nvrtc; fi; $(CTEST) $(TORCH_BUILD)

# The parts without LibTorch for another processor, under an emulator; their answers are compared with those of a build for
# this one. Tests run side by side as everywhere, but everything is slow (docs/installing.md#aarch64).
test-aarch64:
	@QUARTOZERO_LIBTORCH=own scripts/install-deps.sh
	@scripts/apt-install.sh g++-aarch64-linux-gnu qemu-user
	@scripts/aarch64/root.sh build-aarch64/root
	@cmake --preset release -B build-aarch64/native -DQUARTOZERO_TORCH=OFF -DQUARTOZERO_PYTHON=OFF -DQUARTOZERO_NATIVE=OFF > build-aarch64/native.log 2>&1 || { cat build-aarch64/native.log; exit 1; }
	@cmake --build build-aarch64/native -j $(JOBS) --target answers
	@cmake --preset aarch64 -DQUARTOZERO_ANSWERS=$(abspath build-aarch64/native/tests/processors/answers) $(CMAKE_ARGS) > build-aarch64/cross.log 2>&1 \
	  || { cat build-aarch64/cross.log; exit 1; }
	@cmake --build build-aarch64/cross -j $(JOBS)
	@$(CTEST) build-aarch64/cross --no-tests=error

# A wheel for Debian's Python.
wheel-aarch64:
	@QUARTOZERO_LIBTORCH=own scripts/install-deps.sh
	@scripts/apt-install.sh g++-aarch64-linux-gnu qemu-user python3-venv
	@scripts/aarch64/wheel.sh build-aarch64/wheel

# The engine for Windows, compared with one for this machine.
ENGINE_AND_ANSWERS = -j $(JOBS) --target quartozero-engine answers
windows:
	@scripts/apt-install.sh g++ cmake ninja-build libfmt-dev python3 g++-mingw-w64-x86-64-posix wine64
	@cmake --preset release -B build-windows/native -DQUARTOZERO_ENGINE_ALONE=ON -DQUARTOZERO_NATIVE=OFF > /dev/null
	@cmake --build build-windows/native $(ENGINE_AND_ANSWERS)
	@cmake --preset windows -DQUARTOZERO_ANSWERS=$(abspath build-windows/native/tests/processors/answers) $(CMAKE_ARGS) > /dev/null
	@cmake --build build-windows $(ENGINE_AND_ANSWERS)
	@cd build-windows && cpack > cpack.log || { cat cpack.log; exit 1; }
	@$(CTEST) build-windows --no-tests=error
	@ls -l build-windows/*.zip

demo: PROGRAMS = quartozero
demo: quartozero $(ONNX_CHECK)
	@scripts/demo.sh $(BUILD)/quartozero $(DEMO_OUT)

asan: deps $(ONNX_CHECK)
	@cmake --preset asan+ubsan $(CMAKE_ARGS)
	@cmake --build build-asan -j $(JOBS)
	@ASAN_OPTIONS=detect_leaks=0 $(CTEST) build-asan

tsan: deps
	@cmake --preset tsan $(CMAKE_ARGS)
	@cmake --build build-tsan -j $(JOBS) --target concurrent_tests
	@$(CTEST) build-tsan --no-tests=error -L concurrent

# The parts without LibTorch, which is most of what sanitizers can see into: minutes, not half an hour. It also shows that
# those parts build without it. Both builds are clang's: a second compiler sees the sources, and it takes half of g++'s time for
# the second. The first has the fuzz targets. llvm has the symbolizer, without which reports name no functions.
LIGHT_ONLY := -DQUARTOZERO_TORCH=OFF -DQUARTOZERO_STORE=ON -DQUARTOZERO_PYTHON=OFF
configure-fuzz: deps
	@scripts/apt-install.sh clang libclang-rt-dev llvm
	@CXX=clang++ CC=clang cmake --preset fuzz > /dev/null

sanitize: configure-fuzz
	@cmake --build build-fuzz -j $(JOBS)
	@$(CTEST) build-fuzz
	@CXX=clang++ CC=clang cmake --preset tsan -B build-tsan-light $(LIGHT_ONLY) > /dev/null
	@cmake --build build-tsan-light -j $(JOBS) --target concurrent_tests
	@$(CTEST) build-tsan-light --no-tests=error -L concurrent

# Every parser of what others wrote, on inputs that libFuzzer makes up. What it finds, and what covers new code, is kept in
# build-fuzz/corpus; a crash leaves its input there.
# Three and a half at a time on each core, for the time that it takes: the seconds are of wall time.
FUZZ_SECONDS ?= 30
FUZZ_JOBS ?= $(shell echo $$(( ($(JOBS) * 7 + 1) / 2 )))
fuzz: configure-fuzz
	@cmake --build build-fuzz -j $(JOBS) --target fuzz_targets
	@scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS) $(FUZZ_JOBS)

# Something goes wrong at a change to a file, for every command that writes: at FAULTS changes for each fault, 0: at all of them.
FAULTS ?= 0
faults: build
	@QUARTOZERO_FAULTS=$(FAULTS) $(BUILD)/tests/app/test_app_fault

# Hours of training with a resume every ten minutes, beside a server under load: does memory, a descriptor or the disk grow?
# Ctrl-C ends a sitting, and the same command goes on.
SOAK_HOURS ?= 6
SOAK_OUT ?= runs/soak
soak: quartozero
	@scripts/soak.py $(BUILD) $(SOAK_OUT) --hours $(SOAK_HOURS)

# The browser player (docs/web.md): build-web/ is the whole page, for any static host.
web:
	@scripts/install-web-deps.sh
	@$(MAKE) --no-print-directory -C web -j $(JOBS) OUT=$(abspath $(WEB_OUT))
	@echo "$(WEB_OUT)/: $$(du -bc $(WEB_OUT)/* | tail -1 | cut -f1) bytes. To play: python3 -m http.server -d $(WEB_OUT), then http://localhost:8000"

# Documentation, references, player and a recorded run as pages for any static host.
site: web python
	@scripts/apt-install.sh doxygen python3-myst-parser python3-sphinx-rtd-theme
	@scripts/site.sh $(BUILD) $(WEB_OUT)
	@echo "build-site/: $$(du -sb build-site | cut -f1) bytes. To read: python3 -m http.server -d build-site, then http://localhost:8000"

test-site: site $(WEB_TEST_PACKAGES)
	@scripts/install-web-deps.sh tests
	@tests/site/links.py build-site
	@timeout --kill-after=10 $(WEB_TEST_SECONDS) node --test --test-reporter=spec tests/site/site.test.mjs

$(WEB_TEST_PACKAGES): tests/web/package-lock.json
	@scripts/install-web-deps.sh tests
	@echo "installing playwright-core and onnxruntime-web (npm, install scripts off) to test the page"
	@npm ci --ignore-scripts --no-audit --no-fund --prefix tests/web
	@touch $@

# A browser or a server that a failed test leaves open would keep node from ending.
WEB_TEST_SECONDS ?= 900

# In Chromium, without a screen. The screenshots are in build-web.screenshots/.
test-web: built-for-test-web
	@$(MAKE) --no-print-directory run-test-web

built-for-test-web: web $(WEB_TEST_PACKAGES) configure
	@scripts/install-web-deps.sh tests
	@cmake --build $(BUILD) -j $(JOBS) --target quartozero-engine quartozero-serve web_engine \
	  $$(grep -q '^QUARTOZERO_TORCH:BOOL=ON' $(BUILD)/CMakeCache.txt && echo quartozero)

run-test-web:
	@cd tests/web && failed=; for t in *.test.js; do echo "== $$t"; \
	  QUARTOZERO=$(abspath $(BUILD)/quartozero) QUARTOZERO_ENGINE=$(abspath $(BUILD)/quartozero-engine) QUARTOZERO_SERVE=$(abspath $(BUILD)/quartozero-serve) QUARTOZERO_WEB=$(abspath $(WEB_OUT)) QUARTOZERO_WEB_NATIVE=$(abspath $(BUILD)/tests/web/web_engine) \
	  timeout --kill-after=10 $(WEB_TEST_SECONDS) node --test --test-reporter=spec $$t || { [ $$? -ne 124 ] || echo "$$t: not finished after $(WEB_TEST_SECONDS) s"; failed="$$failed $$t"; }; done; \
	  if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

# The branches that tests take, by part and by parser: fails if those with a limit (scripts/coverage.py) are below it. They
# need no LibTorch, and neither does this build. COVERAGE_ARGS= : all parts, in three times the time.
COVERAGE_ARGS ?= $(LIGHT_ONLY)
coverage: deps $(if $(COVERAGE_ARGS),,$(ONNX_CHECK))
	@cmake --preset coverage $(COVERAGE_ARGS) $(CMAKE_ARGS) > /dev/null
	@cmake --build build-coverage -j $(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@$(CTEST) build-coverage > build-coverage/ctest.log || { tail -50 build-coverage/ctest.log; exit 1; }
	@scripts/coverage.py build-coverage

bench: quartozero
	@for part in solver mcts model light; do echo "== bench $$part"; $(BUILD)/quartozero bench $$part; done

format:
	@scripts/apt-install.sh clang-format
	@clang-format -i $$(git ls-files '*.h' '*.cpp')

# A build tree of its own, in which every source is compiled by itself.
tidy: deps
	@scripts/apt-install.sh clang-tidy
	@cmake --preset release -B build-tidy -DQUARTOZERO_UNITY=OFF -DQUARTOZERO_PCH=OFF $(CMAKE_ARGS) > /dev/null
	@cmake --build build-tidy -j $(JOBS)
	@clang-tidy -p build-tidy --quiet --extra-arg=-Wno-unknown-warning-option $$(git ls-files '*.cpp' | grep -v '^tests/')

clean:
	@rm -rf build build-*
