"""The module with NumPy 2, whatever NumPy it was built beside: what deals with arrays runs once more."""
import os
import re
import subprocess
import sys
import unittest

from support import SOURCE

# `make test` installs it there (tests/python/numpy2.txt).
NUMPY = os.path.join(os.environ["QUARTOZERO_BUILD_DIR"], "numpy-2")


def run(*command):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([NUMPY, os.environ["PYTHONPATH"]]))
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment, timeout=250)


class WithNumPy2(unittest.TestCase):
    def test_it_is_numpy_2(self):
        self.assertRegex(run("-c", "import numpy; print(numpy.__version__)").stdout, r"^2\.")

    def test_the_tests_of_arrays_pass(self):
        for name in ("arrays", "batch", "player", "position", "solver"):
            with self.subTest(name):
                file = os.path.join(SOURCE, "tests", "python", name + "_test.py")
                with open(file) as text:
                    classes = re.findall(r"^class (\w+)\(", text.read(), re.MULTILINE)
                # Threads, Ctrl-C and the interpreter's lock have nothing to do with NumPy.
                ran = run(file, *(c for c in classes if c != "Manners"))
                self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_the_example_runs(self):
        ran = run(os.path.join(SOURCE, "python", "example.py"))
        self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    if not os.path.isdir(os.path.join(NUMPY, "numpy")):
        print(f"skipped: no NumPy 2 in {NUMPY}; make test installs it")
        sys.exit(77)
    unittest.main()
