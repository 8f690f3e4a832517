"""What networks learn from: labels(), selfplay(), read_samples(), augment()."""
import itertools
import os
import tempfile
import unittest

import numpy
import quartozero
from support import nothing, small


def batches(stream, n):
    return list(itertools.islice(stream, n))


class Labels(unittest.TestCase):
    def test_values_are_those_of_the_solver(self):
        labels = next(quartozero.labels((10, 12), seed=1, batch=60))
        exact = quartozero.Solver().solve_moves_batch(labels.positions)
        numpy.testing.assert_array_equal(labels.moves, exact)
        numpy.testing.assert_array_equal(labels.values, numpy.nanmax(exact, 1))
        self.assertTrue((numpy.nanmin(exact, 1) < labels.values).all())
        self.assertEqual(set((labels.positions[:, :16] >= 0).sum(1)), {10, 11, 12})
        numpy.testing.assert_array_equal(labels.planes, quartozero.encode(labels.positions))
        numpy.testing.assert_allclose(labels.policy.sum(1), 1, rtol=1e-6)
        numpy.testing.assert_array_equal(labels.policy > 0, labels.moves == labels.values[:, None])

    def test_the_same_seed_gives_the_same_positions(self):
        first = batches(quartozero.labels((11, 12), seed=3, batch=40), 2)
        again = batches(quartozero.labels((11, 12), seed=3, batch=80, threads=2), 1)
        other = batches(quartozero.labels((11, 12), seed=4, batch=80), 1)
        rows = numpy.concatenate([labels.positions for labels in first])
        numpy.testing.assert_array_equal(rows, again[0].positions)
        self.assertTrue((rows != other[0].positions).any())

    def test_positions_without_a_wrong_move_and_other_rules(self):
        labels = next(quartozero.labels((15, 15), decisive=False, batch=20, rules="squares"))
        self.assertEqual(labels.rules, "squares")
        self.assertEqual(set((labels.positions[:, :16] >= 0).sum(1)), {15})
        numpy.testing.assert_array_equal(labels.planes, quartozero.encode(labels.positions, "squares"))

    def test_suites_are_left_out(self):
        own = next(quartozero.labels((12, 12), seed=5, batch=100))
        rows = quartozero.from_array(own.positions)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "own.tsv")
            with open(path, "w") as file:
                for position, value, moves in zip(rows, own.values, own.moves):
                    names = [quartozero.MOVES[position.phase][i] for i in range(16)]
                    text = " ".join(f"{n}:{int(v)}" for n, v in zip(names, moves) if v == v)
                    file.write(f"{position}\t{int(value)}\t{text}\n")
            rest = next(quartozero.labels((12, 12), seed=5, batch=100, exclude=[path]))
        left_out = {str(p.canonical()) for p in rows}
        self.assertFalse(left_out & {str(p.canonical()) for p in quartozero.from_array(rest.positions)})

    def test_errors(self):
        for arguments, message in (
            ({"pieces": (9, 8)}, "pieces must be"),
            ({"pieces": (0, 16)}, "pieces must be"),
            ({"pieces": 8}, "pieces must be"),
            ({"batch": 0}, "batch must be"),
            ({"threads": 0}, "threads must be"),
            ({"sampling": "wild"}, "sampling must be"),
            ({"rules": "chess"}, "chess"),
            ({"seed": -1}, "seed must not be negative"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, message):
                quartozero.labels(**arguments)
        with self.assertRaises(OSError):
            quartozero.labels(exclude=["/no/such/file.tsv"])
        with self.assertRaisesRegex(ValueError, "15 pieces on the board"):
            next(quartozero.labels((15, 15), batch=1))


class SelfPlay(unittest.TestCase):
    def test_samples_are_those_of_the_searches(self):
        games = quartozero.selfplay(nothing, 20, 8, seed=1, batch_games=20)
        samples = next(games)
        self.assertEqual(games.games, 20)
        n = len(samples.positions)
        self.assertGreater(n, 20 * 10)
        self.assertEqual(samples.policy.shape, (n, 16))
        numpy.testing.assert_allclose(samples.policy.sum(1), 1, atol=1e-3)
        numpy.testing.assert_array_equal(samples.weights, 1)
        self.assertLessEqual(set(samples.outcomes.tolist()), {-1, 0, 1})
        numpy.testing.assert_array_equal(samples.planes, quartozero.encode(samples.positions))
        for position, shares in zip(quartozero.from_array(samples.positions), samples.policy):
            legal = {quartozero.MOVES[position.phase].index(move) for move in position.legal_moves}
            self.assertLessEqual(set(numpy.flatnonzero(shares)), legal)
        with self.assertRaises(StopIteration):
            next(games)

    def test_outcomes_that_are_decided_by_a_proof_are_exact(self):
        samples = next(quartozero.selfplay(nothing, 30, 16, seed=2, batch_games=30, settings={"selfplay.random_starts": 1}))
        late = (samples.positions[:, :16] >= 0).sum(1) >= 12
        exact = quartozero.Solver().solve_batch(samples.positions[late])
        self.assertGreater((samples.outcomes[late] == exact).mean(), 0.9)

    def test_the_same_seed_gives_the_same_samples(self):
        def all_of(seed, **more):
            return batches(quartozero.selfplay(small(), 12, 8, seed=seed, batch_games=4, **more), 9)

        first, again, other = all_of(1), all_of(1), all_of(2)
        self.assertEqual(len(first), 3)
        for a, b in zip(first, again):
            for x, y in zip(a, b):
                numpy.testing.assert_array_equal(x, y)
        self.assertNotEqual(first[0].positions.tobytes(), other[0].positions.tobytes())

    def test_games_do_not_depend_on_batches(self):
        def games(batch):
            stream = quartozero.selfplay(nothing, 8, 8, seed=3, side_by_side=8, batch_games=batch)
            return numpy.concatenate([samples.positions for samples in stream])

        numpy.testing.assert_array_equal(games(8), games(2))

    def test_surprising_positions_weigh_more(self):
        samples = next(quartozero.selfplay(nothing, 20, 16, batch_games=20, settings={"selfplay.surprise": 0.9}))
        self.assertGreater(samples.weights.max(), 1)
        self.assertEqual(samples.weights.min(), 0)
        self.assertLess(abs(samples.weights.mean() - 1), 0.3)

    def test_the_network_may_be_exchanged_between_batches(self):
        asked = []

        def other(inputs):
            asked.append(len(inputs))
            return nothing(inputs)

        games = quartozero.selfplay(nothing, simulations=4, batch_games=8, side_by_side=16)
        next(games)
        self.assertIs(games.network, nothing)
        games.network = other
        next(games)
        self.assertTrue(asked)
        self.assertLessEqual(max(asked), 16)
        with self.assertRaisesRegex(ValueError, "rules"):
            games.network = quartozero.Evaluator(nothing, rules="squares")
        self.assertIs(games.network, other)

    def test_new_weights_are_used_from_the_next_batch_on(self):
        winning = [0.0]

        def evaluate(inputs):
            policy, outcome = nothing(inputs)
            outcome[:, 0] = winning[0]
            return policy, outcome

        games = quartozero.selfplay(evaluate, simulations=1, batch_games=16, side_by_side=16, settings={"search.proof_nodes": 0})

        def opinion(samples):
            early = (samples.positions[:, :16] >= 0).sum(1) <= 4
            return numpy.abs(samples.values[early]).mean()

        self.assertLess(opinion(next(games)), 0.01)
        winning[0] = 5.0
        next(games)  # games that were begun before are in it
        self.assertGreater(opinion(next(games)), 0.8)

    def test_games_that_need_no_network_end_too(self):
        def sure(inputs):
            policy, outcome = nothing(inputs)
            policy[:] = numpy.arange(0, 320, 20)
            return policy, outcome

        games = quartozero.selfplay(sure, simulations=2, batch_games=100, side_by_side=16,
                                    settings={"search.root": "puct", "search.noise_fraction": 0, "search.temperature": 0,
                                              "search.proof_nodes": 0})
        for _ in range(3):
            next(games)
        self.assertLess(games.games, 3 * 116)

    def test_an_error_ends_the_games(self):
        def failing(inputs):
            raise KeyError("mine")

        games = quartozero.selfplay(failing, 4)
        with self.assertRaisesRegex(KeyError, "mine"):
            next(games)
        with self.assertRaisesRegex(RuntimeError, "an error ended this stream"):
            next(games)

    def test_a_network_that_asks_its_own_games_is_refused(self):
        games = []

        def recursive(inputs):
            return next(games[0])

        games.append(quartozero.selfplay(recursive, 4))
        with self.assertRaisesRegex(RuntimeError, "in use"):
            next(games[0])

    def test_errors(self):
        for arguments, message in (
            ({"simulations": 0}, "simulations"),
            ({"side_by_side": 0}, "side_by_side must be"),
            ({"batch_games": 0}, "batch_games must be"),
            ({"settings": {"selfplay.explor": 1}}, "did you mean 'selfplay.explore'"),
            ({"settings": {"search.oracle_squares": 4}}, "oracle_squares must be 0"),
            ({"settings": {"selfplay.games_in_flight": 4}}, "side_by_side="),
            ({"settings": {"selfplay.surprise_weights": "x"}}, "surprise_weights"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, message):
                quartozero.selfplay(nothing, **arguments)


class Images(unittest.TestCase):
    def test_are_positions_with_the_same_values(self):
        for rules in ("lines", "squares"):
            labels = next(quartozero.labels((11, 13), seed=2, batch=60, rules=rules))
            wide = numpy.concatenate([labels.policy, labels.policy[:, ::-1]], 1)
            planes, policy = quartozero.augment(labels.planes, labels.policy, 7, rules)
            _, actions = quartozero.augment(labels.planes, wide, 7, rules)
            self.assertTrue((planes != labels.planes).any())
            for row in range(60):
                position = position_of(planes[row], rules)
                exact = quartozero.Solver().solve_moves(position)
                keeping = [m for m, v in exact.items() if v == labels.values[row]]
                found = [quartozero.MOVES[position.phase][i] for i in numpy.flatnonzero(policy[row])]
                self.assertEqual(found, keeping)
                giving = int(position.phase == "give")
                if not giving:
                    numpy.testing.assert_array_equal(actions[row, :16], policy[row])
                self.assertEqual(sorted(actions[row]), sorted(wide[row]))

    def test_symmetries_are_those_of_the_game(self):
        squares, pieces = quartozero.symmetries()
        self.assertEqual((squares.shape, pieces.shape), ((32, 16), (384, 16)))
        self.assertEqual(quartozero.symmetries("squares")[0].shape, (8, 16))
        rows = quartozero.random_positions(100, 3)
        rng = numpy.random.default_rng(1)
        for row in rows:
            g, h = squares[rng.integers(32)], pieces[rng.integers(384)]
            image = numpy.full(17, -1, numpy.int8)
            image[g] = numpy.where(row[:16] >= 0, h[row[:16]], -1)
            image[16] = h[row[16]] if row[16] >= 0 else -1
            position, other = quartozero.from_array(numpy.stack([row, image]))
            self.assertEqual(position.canonical(), other.canonical())

    def test_errors(self):
        planes, policy = numpy.zeros((2, 34, 4, 4), "f4"), numpy.zeros((2, 16), "f4")
        for wrong in ((planes[:1], policy), (planes[:, :33], policy), (planes, policy[:, :15]), (planes[0], policy)):
            with self.assertRaisesRegex(ValueError, "must have the shape"):
                quartozero.augment(*wrong, seed=1)
        with self.assertRaises(ValueError):
            quartozero.augment(planes, policy, 1, rules="chess")


def position_of(planes, rules):
    """The position of its planes (env/encoding.h)."""
    row = numpy.full(17, -1, numpy.int8)
    bits = numpy.arange(4)
    for s in range(16):
        square = planes[:, s // 4, s % 4]
        if not square[0]:
            row[s] = int((square[1:5] * 2**bits).sum())
    if planes[17, 0, 0]:
        row[16] = int((planes[9:13, 0, 0] * 2**bits).sum())
    return quartozero.from_array(row[None], rules)[0]


if __name__ == "__main__":
    unittest.main()
