"""The examples with PyTorch and JAX run, learn something, and their networks play in the program."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
import quartozero
from support import SOURCE

BUILD = os.environ["QUARTOZERO_BUILD_DIR"]
PROGRAM = os.path.join(BUILD, "quartozero")
PYTORCH = os.path.join(SOURCE, "examples", "pytorch")
JAX = os.path.join(BUILD, "jax-packages")


def run(*arguments, packages=()):
    path = os.pathsep.join([*packages, *(p for p in sys.path if p)])
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
                          timeout=240)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def agreement(table, player, simulations=0):
    """Of the last table in the text: the suites' percents by name."""
    lines = [line.split() for line in table[table.rindex("player "):].splitlines()]
    suites = lines[0][2:]
    row = next(line for line in lines if line[:2] == [player, str(simulations)])
    return dict(zip(suites, (float(cell) for cell in row[2:] if not cell.endswith(("]", ",")))))


@unittest.skipUnless(importlib.util.find_spec("torch"), "there is no PyTorch: apt install python3-torch")
class PyTorch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "mine.pt")

    def learned(self, text):
        losses = [float(loss) for loss in re.findall(r"loss (\S+)", text)]
        self.assertLess(losses[-1], losses[0], text)

    def plays(self):
        self.assertIn("torchscript", run(PROGRAM, "match", f"torchscript:{self.out}@4:0", "random", "--games", "4"))
        self.assertIn("torchscript", run(PROGRAM, "rate", f"torchscript:{self.out}", "random", "oneply", "--games", "2"))
        self.assertIn("deep", run(PROGRAM, "eval", f"torchscript:{self.out}", "--limit", "1", "--simulations", "0", "--no-baselines"))

    def test_supervised_learning(self):
        for network in ("pairs", "residual", "transformer"):
            with self.subTest(network):
                table = run(sys.executable, os.path.join(PYTORCH, "supervised.py"), "--network", network, "--minutes", "0.1",
                            "--width", "16", "--depth", "1", "--batch", "64", "--limit", "6", "--out", self.out)
                self.learned(table)
                self.assertGreater(agreement(table, "small")["deep"], 80, table)
                self.plays()

    def test_alphazero(self):
        text = run(sys.executable, os.path.join(PYTORCH, "alphazero.py"), "--games", "200", "--simulations", "4", "--limit", "6",
                   "--out", self.out)
        before = agreement(text[:text.index("after ")], "net")
        self.assertGreater(agreement(text, "net")["decisive"], before["decisive"], text)
        self.assertGreater(agreement(text, "small")["deep"], 80, text)
        self.plays()

    def test_scale(self):
        labels = os.path.join(self.folder.name, "labels.npz")
        scale = os.path.join(PYTORCH, "scale.py")
        run(sys.executable, scale, "--prepare", labels, "--positions", "4000", "--pieces", "11", "14", "--threads", "1")
        text = run(sys.executable, scale, "--labels", labels, "--sizes", "tiny", "--minutes", "0.1", "--limit", "2", "--batch", "128")
        self.assertIn("tiny", text)
        self.assertRegex(text, r"13 pieces +\d")

    def test_a_residual_network_becomes_a_checkpoint(self):
        import torch

        sys.path.insert(0, PYTORCH)
        self.addCleanup(sys.path.remove, PYTORCH)
        from networks import Residual, evaluator

        torch.manual_seed(1)
        network = Residual(24, 2, 20)
        with torch.no_grad():
            for p in network.parameters():
                p += 0.1 * torch.randn_like(p)
            for _ in range(5):  # running means
                network(torch.rand(64, 34, 4, 4))
        folder = os.path.join(self.folder.name, "checkpoint")
        quartozero.save_residual(network.state_dict(), folder, step=7, notes={"by": "me"})
        run(PROGRAM, "export", folder, "--torchscript", self.out)
        rows = quartozero.random_positions(200, 1)
        mine = evaluator(network)(quartozero.encode(rows))
        with torch.no_grad():
            theirs = torch.jit.load(self.out)(torch.from_numpy(quartozero.encode(rows)))
        numpy.testing.assert_allclose(mine[0], torch.cat(theirs[:2], 1).numpy(), atol=1e-3)
        numpy.testing.assert_allclose(mine[1], theirs[2].numpy(), atol=1e-3)
        state = dict(network.state_dict())
        for name, value, message in (
            ("place.weight", state["place.weight"][:, :3], r"'place.weight' has the shape \(1, 3, 1, 1\), not \(1, 24, 1, 1\)"),
            ("give.bias", None, "'give.bias' of shape .* is missing"),
            ("other.bias", torch.zeros(3), "has no 'other.bias'"),
            ("give.bias", torch.full([16], float("nan")), "not finite"),
            ("stem_conv.weight", None, "stem_conv.weight"),
        ):
            wrong = {k: v for k, v in {**state, name: value}.items() if v is not None}
            with self.subTest(name), self.assertRaisesRegex(ValueError, message):
                quartozero.save_residual(wrong, folder)


@unittest.skipUnless(os.path.isdir(os.path.join(JAX, "jax")), "there is no JAX in the build folder: make test installs it there")
class InJax(unittest.TestCase):
    def test_a_policy_is_learned_from_labels(self):
        table = run(sys.executable, os.path.join(SOURCE, "examples", "jax", "policy.py"), "--minutes", "0.2", "--limit", "6", packages=[JAX])
        self.assertGreater(agreement(table, "net")["decisive"], 20, table)  # on a busy machine it learns for a moment only
        self.assertGreater(agreement(table, "small")["decisive"], 80, table)


if __name__ == "__main__":
    unittest.main()
