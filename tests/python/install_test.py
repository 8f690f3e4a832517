"""What `cmake --install` puts under a prefix works from there."""
import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import os, sys, quartozero
prefix = os.path.realpath(sys.argv[1])
assert os.path.realpath(quartozero.__file__).startswith(prefix), quartozero.__file__
assert len(quartozero.suite("deep")) > 1000
network = quartozero.shipped_network("small")
assert os.path.realpath(network).startswith(prefix), network
print(quartozero.Solver().solve(quartozero.Position(), seconds=5), quartozero.Player.load(network).choose(quartozero.Position()))
"""


class Installed(unittest.TestCase):
    def test_it_finds_its_networks_and_its_book(self):
        with tempfile.TemporaryDirectory() as prefix:
            install = [os.environ["QUARTOZERO_CMAKE"], "--install", os.environ["QUARTOZERO_BUILD_DIR"], "--prefix", prefix]
            done = subprocess.run(install, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            environment = dict(os.environ, PYTHONPATH=os.path.join(prefix, os.environ["QUARTOZERO_PYTHON_DIR"]))
            run = subprocess.run(
                [sys.executable, "-c", PROGRAM, prefix], capture_output=True, text=True, env=environment, cwd=prefix
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, "^draw [0-9A-F]$")
            programs = ["quartozero", "quartozero-engine", "quartozero-serve"]
            for program in programs:
                ran = subprocess.run([os.path.join(prefix, "bin", program), "--help"], capture_output=True, text=True)
                self.assertEqual((ran.returncode, program in ran.stdout), (0, True), program)
            for file in [
                "share/man/man1/quartozero-train.1",
                "share/bash-completion/completions/quartozero",
                "share/zsh/vendor-completions/_quartozero",
                "share/fish/vendor_completions.d/quartozero.fish",
                "share/quartozero/configs/demo.yaml",
                "share/quartozero/eval/suites/deep.tsv",
                "share/quartozero/checkpoints/zero/model.safetensors",
                "lib/systemd/system/quartozero-serve.service",
            ]:
                self.assertGreater(os.path.getsize(os.path.join(prefix, file)), 0, file)


    def test_while_pip_hides_the_build_the_terminal_is_told_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            configure = [os.environ["QUARTOZERO_CMAKE"], "-S", os.environ["QUARTOZERO_SOURCE_DIR"], "-B", folder,
                         "-DPython3_EXECUTABLE=" + sys.executable, "-DQUARTOZERO_PYTHON_WHEEL=ON",
                         *(f"-DQUARTOZERO_{part}=OFF" for part in ("TORCH", "PROGRAMS", "TESTS"))]
            child, terminal = pty.fork()
            if child == 0:
                # As pip does with what it starts.
                done = subprocess.run(configure, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                os._exit(done.returncode)
            seen = b""
            with contextlib.suppress(OSError):  # its end
                while piece := os.read(terminal, 4096):
                    seen += piece
            os.close(terminal)
            self.assertEqual(os.waitpid(child, 0)[1], 0, seen)
            self.assertRegex(seen, rb"^\r\nquartozero: compiling .* with pip -v every step is shown\r\n$")

    def test_without_the_module_the_rest_is_installed(self):
        # As after `make quartozero`, which does not build it: the part of the installation that install() calls for this folder.
        build = os.environ["QUARTOZERO_BUILD_DIR"]
        with open(os.path.join(build, "python", "cmake_install.cmake")) as file:
            script = file.read()
        module = os.path.join(build, "python", "quartozero", "_quartozero.")
        self.assertIn(module, script)
        with tempfile.TemporaryDirectory() as prefix:
            changed = os.path.join(prefix, "cmake_install.cmake")
            with open(changed, "w") as file:
                file.write(script.replace(module, os.path.join(prefix, "not-built.")))
            install = [os.environ["QUARTOZERO_CMAKE"], "-DCMAKE_INSTALL_PREFIX=" + prefix, "-P", changed]
            done = subprocess.run(install, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("make python", done.stdout + done.stderr)
            self.assertEqual(os.listdir(prefix), ["cmake_install.cmake"])


if __name__ == "__main__":
    unittest.main()
