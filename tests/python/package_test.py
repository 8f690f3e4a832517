"""The package around the compiled module: what it offers, what that is typed as, games, suites."""
import ast
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest

import quartozero
from quartozero import _quartozero
from support import SUITE, small


class Offered(unittest.TestCase):
    def test_everything_named_is_there_and_documented(self):
        for name in quartozero.__all__:
            with self.subTest(name):
                thing = getattr(quartozero, name)
                if callable(thing):
                    self.assertTrue(inspect.getdoc(thing))

    def test_the_stubs_name_what_is_compiled(self):
        with open(os.path.join(os.path.dirname(quartozero.__file__), "_quartozero.pyi")) as file:
            stubs = ast.parse(file.read()).body
        typed = {s.name: s for s in stubs if isinstance(s, (ast.ClassDef, ast.FunctionDef))}
        compiled = {n: x for n, x in vars(_quartozero).items() if not n.startswith("_")}
        imported = {"Value", "NetworkFileError"}
        self.assertEqual(set(typed), set(compiled) - imported)
        for name, stub in typed.items():
            if isinstance(stub, ast.ClassDef):
                members = {m.name for m in stub.body if isinstance(m, ast.FunctionDef)}
                public = {n for n in vars(compiled[name]) if not n.startswith("_")}
                self.assertEqual({m for m in members if not m.startswith("_")}, public, name)

    def test_what_others_games_need_is_imported_only_for_them(self):
        program = """
import sys
import quartozero
assert not {"pettingzoo", "gymnasium", "pyspiel", "open_spiel"} & set(sys.modules)
sys.modules["pettingzoo"] = sys.modules["pyspiel"] = None  # as if they were not installed
for module in ("environment", "openspiel"):
    try:
        __import__("quartozero." + module)
    except ImportError as error:
        print(error)
"""
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, r"pip install pettingzoo\n.*pip install open_spiel")

    def test_without_numpy_only_arrays_are_refused_and_say_what_to_install(self):
        program = """
import sys
sys.modules["numpy"] = None  # as if it were not installed
import quartozero
position = quartozero.Position("..../2F.A/E9../.8B3 -")
assert quartozero.Solver().solve(position) == quartozero.Value.DRAW
player = quartozero.Player.load(quartozero.shipped_network("small"))
player.choose(position)
for needs_arrays in (
    lambda: quartozero.Batch(3),
    lambda: quartozero.encode([position]),
    lambda: quartozero.random_positions(3),
    lambda: quartozero.Solver().solve_batch([position]),
    lambda: quartozero.to_array([position]),
    lambda: quartozero.Run(".").metrics,
    lambda: player.evaluate_batch([position]),
    lambda: position.encode(),
):
    try:
        needs_arrays()
    except ImportError as error:
        print(error)
"""
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, r"^(.* need NumPy: pip install numpy\n){8}$")

    def test_a_network_that_does_not_ship_is_named(self):
        with self.assertRaisesRegex(FileNotFoundError, "'nobody'"):
            quartozero.shipped_network("nobody")

    def test_results_pickle(self):
        thought = small().think(quartozero.Position(), simulations=20)
        self.assertEqual(pickle.loads(pickle.dumps(thought)), thought)


class Unfinished(unittest.TestCase):
    """A folder of the package without a compiled part for this interpreter, as CMake leaves it before the module is built."""

    def error_with(self, *others):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "quartozero")
            shutil.copytree(os.path.dirname(quartozero.__file__), package, ignore=shutil.ignore_patterns("*.so"))
            for other in others:
                open(os.path.join(package, other), "w").close()
            environment = dict(os.environ, PYTHONPATH=folder)
            ran = subprocess.run([sys.executable, "-c", "import quartozero"], capture_output=True, text=True, env=environment)
            self.assertEqual(ran.returncode, 1)
            return ran.stderr

    def test_it_says_how_to_build_the_compiled_part(self):
        self.assertRegex(self.error_with(), "ImportError: quartozero in .* has no compiled part yet: build it with `make python`")

    def test_it_says_that_the_compiled_part_is_another_pythons(self):
        error = self.error_with("_quartozero.cpython-27-x86_64-linux-gnu.so")
        self.assertRegex(error, r"compiled for another Python \(_quartozero.cpython-27")


class Games(unittest.TestCase):
    def test_a_game_can_be_played_again_from_its_text(self):
        for seed in range(30):
            game = quartozero.play_game(quartozero.RandomPlayer(seed), quartozero.RandomPlayer(seed + 100))
            self.assertEqual(quartozero.parse_game(str(game)), game.moves)
            self.assertEqual(quartozero.positions_of(str(game))[-1], game.final)
            self.assertEqual(game.final.result, quartozero.Value.DRAW if game.winner is None else quartozero.Value.WIN)
            self.assertEqual(len(quartozero.positions_of(str(game))), len(game.moves) + 1)

    def test_a_game_under_other_rules_may_end_sooner(self):
        text = "0 a1 1 b1 2 a2 3 b2"
        self.assertTrue(quartozero.positions_of(text, "squares")[-1].is_won)
        self.assertFalse(quartozero.positions_of(text)[-1].is_over)

    def test_an_illegal_game_is_refused_with_the_place(self):
        for text, reason in [("0 a1 0", "move 3"), ("0 a1 1 a1", "taken"), ("a1", "not a give")]:
            with self.subTest(text), self.assertRaisesRegex(ValueError, reason):
                quartozero.parse_game(text)

    def test_the_same_seed_plays_the_same_game(self):
        games = [quartozero.play_game(quartozero.RandomPlayer(7), quartozero.OnePlyPlayer(8)).moves for _ in range(2)]
        self.assertEqual(games[0], games[1])


class Suites(unittest.TestCase):
    def test_those_that_ship_have_names(self):
        self.assertEqual(quartozero.suite("decisive"), quartozero.read_suite(SUITE))
        for name in ("all", "decisive", "deep"):
            self.assertGreaterEqual(len(quartozero.suite(name)), 500)
        self.assertEqual(quartozero.suite("deep", rules="squares")[0].position.rules, "squares")
        for name in ("nobody", "../README", "squares/deep", "squares"):
            with self.subTest(name), self.assertRaisesRegex(FileNotFoundError, "there are all, decisive, deep"):
                quartozero.suite(name)
        with self.assertRaises(ValueError):
            quartozero.suite("deep", rules="nothing")

    def test_a_position_is_worth_its_best_move(self):
        suite = quartozero.read_suite(SUITE)
        self.assertEqual(len(suite), 3000)
        for e in suite:
            self.assertEqual(list(e.moves), e.position.legal_moves)
            self.assertEqual(e.value, max(e.moves.values()))
            self.assertTrue(e.decisive)

    def test_the_values_of_other_rules_are_refused(self):
        with self.assertRaisesRegex(ValueError, "over in this position"):
            quartozero.read_suite(SUITE, rules="squares")
        squares = os.path.join(os.path.dirname(SUITE), "squares", "decisive.tsv")
        self.assertEqual(len(quartozero.read_suite(squares, rules="squares")), 3000)
        with self.assertRaisesRegex(ValueError, "those by 'squares'"):
            quartozero.read_suite(squares)

    def test_a_malformed_line_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.tsv")
            with open(path, "w") as file:
                file.write("..D9/.28./1.../.... -\t0\t0:0\n")
            with self.assertRaisesRegex(ValueError, "bad.tsv:1: column"):
                quartozero.read_suite(path)

    def test_a_suite_that_is_not_there_is_an_os_error(self):
        with self.assertRaisesRegex(OSError, "nowhere.tsv"):
            quartozero.read_suite("nowhere.tsv")


if __name__ == "__main__":
    unittest.main()
