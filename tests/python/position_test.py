"""quartozero.Position: a value with the rules of the game in it."""
import copy
import pickle
import unittest

import numpy
import quartozero
from support import some_positions

WON = "0123/..../..../.... -"  # four square, hollow pieces in a row


class Texts(unittest.TestCase):
    def test_a_position_is_its_text(self):
        for p in some_positions():
            self.assertEqual(quartozero.Position(str(p)), p)

    def test_a_byte_order_mark_is_passed_over(self):
        self.assertEqual(quartozero.Position("\ufeff" + WON), quartozero.Position(WON))
        self.assertEqual(quartozero.parse_game("\ufeff0 a1 7 c2"), ["0", "a1", "7", "c2"])

    def test_its_repr_makes_it_again(self):
        for rules in ("lines", "squares"):
            for p in some_positions(20, rules=rules):
                self.assertEqual(eval(repr(p), {"Position": quartozero.Position}), p)

    def test_malformed_texts_are_refused_with_a_reason(self):
        for text, reason in [
            ("", "character 1"),
            ("..../..../..../....", "blank"),
            ("..../..../..../.... x", "piece in hand"),
            ("..../..../..../.... -x", "end of the text"),
            ("G.../..../..../.... -", "found 'G'"),
            ("00../..../..../.... -", "already on a1"),
            ("0.../..../..../.... 0", "in hand and also on a1"),
            ("0123/..../..../.... 4", "quarto"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(ValueError, reason):
                quartozero.Position(text)

    def test_unknown_rules_are_refused(self):
        with self.assertRaisesRegex(ValueError, "'lines' or 'squares'"):
            quartozero.Position(rules="circles")


class Values(unittest.TestCase):
    def test_equal_positions_are_one_key(self):
        there = {quartozero.Position("0.../..../..../.... -")}
        self.assertIn(quartozero.Position().play("0", "a1"), there)
        self.assertNotEqual(quartozero.Position(), quartozero.Position(rules="squares"))
        self.assertNotEqual(quartozero.Position(), str(quartozero.Position()))

    def test_pickles_and_copies_are_equal(self):
        for p in some_positions(30) + some_positions(30, rules="squares"):
            self.assertEqual(pickle.loads(pickle.dumps(p)), p)
            self.assertEqual(copy.deepcopy(p), p)

    def test_it_cannot_be_changed(self):
        p = quartozero.Position()
        for name in ("hand", "rules", "anything"):
            with self.subTest(name), self.assertRaises(AttributeError):
                setattr(p, name, "0")


class Rules(unittest.TestCase):
    def test_the_empty_board_gives_any_piece(self):
        p = quartozero.Position()
        self.assertEqual((p.phase, p.hand, p.ply, p.player_to_act), ("give", None, 0, 0))
        self.assertEqual(p.legal_moves, list(quartozero.PIECES))
        self.assertEqual((p.is_over, p.result, p.winner), (False, None, None))

    def test_a_piece_in_hand_goes_to_any_empty_square(self):
        p = quartozero.Position("0.../..../..../.... 1")
        self.assertEqual((p.phase, p.hand, p.player_to_act), ("place", "1", 0))
        self.assertEqual(p.legal_moves, [s for s in quartozero.SQUARES if s != "a1"])

    def test_pieces_and_squares_are_told_apart_from_what_is_left(self):
        p = quartozero.Position("0.../..../..../...F 1")
        self.assertEqual(p.pieces, {"a1": "0", "d4": "F"})
        self.assertEqual(set(p.available), set(quartozero.PIECES) - {"0", "F", "1"})
        self.assertEqual(set(p.empty_squares), set(quartozero.SQUARES) - {"a1", "d4"})

    def test_a_line_wins_for_whoever_placed_last(self):
        p = quartozero.Position("012./..../..../.... 3").play("d1")
        self.assertTrue(p.is_won and p.is_over)
        self.assertEqual((p.winner, p.result, p.legal_moves), (p.player_to_act, quartozero.Value.WIN, []))

    def test_illegal_moves_are_refused_with_a_reason(self):
        for text, move, reason in [
            (WON, "4", "the game is over"),
            ("0.../..../..../.... 1", "a1", "the square is taken"),
            ("0.../..../..../.... -", "0", "already in play"),
            ("0.../..../..../.... -", "a1", "not a give"),
            ("0.../..../..../.... 1", "2", "not a place"),
            ("0.../..../..../.... 1", "", "not a place"),
        ]:
            with self.subTest(move=move), self.assertRaisesRegex(ValueError, reason):
                quartozero.Position(text).play(move)

    def test_a_move_must_be_a_text(self):
        with self.assertRaises(TypeError):
            quartozero.Position().play(3)

    def test_the_rule_of_thumb_wins_if_it_can(self):
        p = quartozero.Position("012./..../..../.... 3")
        self.assertEqual((p.winning_places(), p.one_ply_moves()), (["d1"], ["d1"]))


class Images(unittest.TestCase):
    def test_the_canonical_form_is_its_own(self):
        for p in some_positions(100):
            self.assertEqual(p.canonical().canonical(), p.canonical())


class Planes(unittest.TestCase):
    def test_planes_show_what_is_there(self):
        planes = quartozero.Position("F.../..../..../.... 1").encode()
        self.assertEqual((planes.shape, planes.dtype), ((34, 4, 4), numpy.float32))
        numpy.testing.assert_array_equal(planes[1:5, 0, 0], [1, 1, 1, 1])  # F has all attributes
        numpy.testing.assert_array_equal(planes[9:13, 2, 3], [1, 0, 0, 0])  # 1 in hand has the first
        numpy.testing.assert_array_equal(planes[0].sum(), 15)  # empty squares

    def test_many_are_encoded_as_each_is(self):
        positions = some_positions(40)
        planes = quartozero.encode(positions)
        for i, p in enumerate(positions):
            numpy.testing.assert_array_equal(planes[i], p.encode())
        numpy.testing.assert_array_equal(quartozero.encode(quartozero.to_array(positions)), planes)

    def test_counts_are_of_unfinished_positions_under_their_rules(self):
        for rules, size in ("lines", 16 * 16 * 223 + 10 * 32), ("squares", 16 * 16 * 223 + 19 * 32):
            positions = [p for p in some_positions(40, rules=rules) if not p.is_over]
            counts = quartozero.counts(positions, rules)
            self.assertEqual(counts.shape, (len(positions), size))
            for i, p in enumerate(positions):
                numpy.testing.assert_array_equal(counts[i], quartozero.counts([p], rules)[0])
                empty = 16 - len(p.pieces)
                # Every pair of an empty square and a piece that is left has one category.
                self.assertEqual(counts[i][: 16 * 16 * 223].reshape(256, 223)[:, :17].sum(), empty * empty)
        with self.assertRaisesRegex(ValueError, "under the rules 'squares', not 'lines'"):
            quartozero.counts(positions)
        with self.assertRaisesRegex(ValueError, "finished"):
            quartozero.counts([quartozero.Position("0124/..../..../.... -")])


if __name__ == "__main__":
    unittest.main()
