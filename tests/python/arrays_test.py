"""Positions as arrays: to_array, from_array, and what they refuse."""
import unittest

import numpy
import quartozero
from support import small, some_positions


def row(*cells, hand=-1):
    """One row with these pieces on a1, b1, and so on."""
    full = numpy.full((1, 17), -1, dtype=numpy.int8)
    full[0, : len(cells)] = cells
    full[0, 16] = hand
    return full


class Format(unittest.TestCase):
    def test_the_columns_are_squares_and_the_hand(self):
        array = quartozero.to_array([quartozero.Position("5.../A.../..../...0 F")])
        expected = row(5, -1, -1, -1, 10, hand=15)
        expected[0, 15] = 0
        numpy.testing.assert_array_equal(array, expected)
        self.assertEqual(array.dtype, numpy.int8)

    def test_there_and_back_under_both_rules(self):
        for rules in ("lines", "squares"):
            positions = some_positions(500, rules=rules)
            self.assertEqual(quartozero.from_array(quartozero.to_array(positions), rules), positions)

    def test_no_positions_are_an_array_without_rows(self):
        self.assertEqual(quartozero.to_array([]).shape, (0, 17))
        self.assertEqual(quartozero.from_array(quartozero.to_array([])), [])

    def test_an_array_may_be_a_view_with_steps(self):
        array = quartozero.random_positions(60, 4)
        turned = numpy.asfortranarray(array)[::-3]
        self.assertFalse(turned.flags.c_contiguous)
        self.assertEqual(quartozero.from_array(turned), quartozero.from_array(array)[::-3])

    def test_random_positions_are_drawn_by_their_seed(self):
        first, again, other = (quartozero.random_positions(50, seed) for seed in (1, 1, 2))
        numpy.testing.assert_array_equal(first, again)
        self.assertTrue((first != other).any())


class Refused(unittest.TestCase):
    def test_rows_that_are_no_position_are_named(self):
        for bad, reason in [
            (row(16), "a1 has 16"),
            (row(-2), "a1 has -2"),
            (row(hand=127), "the hand has 127"),
            (row(3, 3), "piece 3 is there twice"),
            (row(3, hand=3), "piece 3 is there twice"),
            (row(0, 1, 2, 3, hand=4), "quarto"),
        ]:
            array = numpy.concatenate([quartozero.random_positions(7), bad, bad])
            for take in (quartozero.from_array, quartozero.encode, small().evaluate_batch, quartozero.Solver().solve_batch):
                with self.subTest(reason, by=take), self.assertRaisesRegex(ValueError, "^row 7: .*" + reason):
                    take(array)

    def test_arrays_of_another_kind_are_refused(self):
        good = quartozero.random_positions(3)
        for bad, reason in [
            (good.astype(numpy.int64), "int8, not of int64"),
            (good.astype(numpy.uint8), "int8, not of uint8"),
            (good.astype(numpy.float32), "int8, not of float32"),
            (good.astype(bool), "int8, not of bool"),
            (good.astype(object), "int8, not of object"),
            (good[0], r"\(N, 17\), not \(17,\)"),
            (good[:, :16], r"\(N, 17\), not \(3, 16\)"),
            (good[None], r"\(N, 17\), not \(1, 3, 17\)"),
        ]:
            with self.subTest(reason), self.assertRaisesRegex(ValueError, reason):
                quartozero.from_array(bad)

    def test_sequences_of_other_things_are_refused(self):
        for bad in ("0.../..../..../.... -", 3, None, [quartozero.Position(), "text"], [None], {quartozero.Position()}):
            with self.subTest(bad), self.assertRaises(TypeError):
                quartozero.to_array(bad)

    def test_any_bytes_are_a_position_or_refused(self):
        random = numpy.random.default_rng(5)
        kept = refused = 0
        for _ in range(3000):
            array = numpy.full((1, 17), -1, dtype=numpy.int8)
            cells = random.integers(0, 17, size=random.integers(1, 6))
            array[0, cells] = random.integers(-3, 18, size=len(cells))
            try:
                position = quartozero.from_array(array)
            except ValueError:
                refused += 1
                continue
            kept += 1
            numpy.testing.assert_array_equal(quartozero.to_array(position), array)
        self.assertGreater(min(kept, refused), 300)


if __name__ == "__main__":
    unittest.main()
