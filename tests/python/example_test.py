"""The example runs as it is, and what it prints is so."""
import os
import re
import subprocess
import sys
import unittest

import quartozero
from support import SOURCE


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = subprocess.run(
            [sys.executable, os.path.join(SOURCE, "python", "example.py")],
            capture_output=True,
            text=True,
            cwd=os.path.expanduser("~"),
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        cls.printed = run.stdout

    def found(self, pattern):
        match = re.search(pattern, self.printed)
        self.assertIsNotNone(match, f"no {pattern!r} in:\n{self.printed}")
        return match

    def test_it_shows_exact_values(self):
        self.found(r"exact: draw \{'0': 'loss', '1': 'loss', '4': 'draw', '5': 'draw'")

    def test_it_plays_a_whole_game(self):
        game = quartozero.positions_of(self.found(r"game: (.*)")[1])
        self.assertTrue(game[-1].is_over)

    def test_it_evaluates_a_batch(self):
        self.found(r"evaluated 10000 positions, [\d,]+ a second: \(10000, 16\) \(10000, 3\)")

    def test_the_network_agrees_with_exact_play_as_its_file_says(self):
        agreement = float(self.found(r"agreement .* on 3000 positions: ([\d.]+)%")[1])
        info = quartozero.Player.load(quartozero.shipped_network("zero")).info
        self.assertAlmostEqual(agreement, float(info["agreement_decisive"]), delta=0.5)  # moves may tie


if __name__ == "__main__":
    unittest.main()
