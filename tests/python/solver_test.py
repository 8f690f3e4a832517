"""quartozero.Solver: the same exact values as everywhere, within the limits, and without stopping anything else."""
import copy
import pickle
import threading
import time
import unittest

import numpy
import quartozero
from support import by_four_threads, entries, in_own_process, interrupt_soon, steps_beside

EMPTY = quartozero.Position()  # minutes without the book
# Whoever has the solver knows these at once, however little time there is: the value, and that of the move d1.
WON = quartozero.Position("0123/..../..../.... -")
WINNING = quartozero.Position("012./..../..../.... 3")


def is_taken(solver):
    """Whether another thread has it."""
    return solver.solve(WON, seconds=0.01) is None


def taken_solver():
    """One that another thread has for minutes. To be called in_own_process(), with which the other thread ends."""
    solver = quartozero.Solver(book=False)
    threading.Thread(target=solver.solve, args=(EMPTY,), daemon=True).start()
    while not is_taken(solver):
        time.sleep(0.001)
    return solver


def ask_a_taken_solver():
    solver, test = taken_solver(), unittest.TestCase()
    for _ in range(10):
        numpy.full(3, 7, numpy.float32), numpy.full((3, 16), 7, numpy.float32)  # what freed memory holds
        test.assertTrue(numpy.isnan(solver.solve_batch([WON] * 3, seconds=0.01)).all())
        test.assertTrue(numpy.isnan(solver.solve_moves_batch([WINNING] * 3, seconds=0.01)).all())
    test.assertIsNone(solver.solve(WON, seconds=0.01))
    test.assertEqual(set(solver.solve_moves(WINNING, seconds=0.01).values()), {None})
    test.assertEqual(set(solver.distances(WINNING, seconds=0.01).values()), {(None, None)})


def interrupt_who_waits_for_a_taken_solver():
    solver, test = taken_solver(), unittest.TestCase()
    with test.assertRaises(KeyboardInterrupt):
        interrupt_soon()
        solver.solve(WON)
    test.assertTrue(is_taken(solver), "the wait went on until the other thread's search had ended")


class Exact(unittest.TestCase):
    def test_values_are_the_suites(self):
        solver = quartozero.Solver()
        for e in entries(most_empty=9, n=60):
            self.assertEqual(solver.solve(e.position), e.value, e.position)

    def test_values_of_moves_are_the_suites(self):
        solver = quartozero.Solver()
        for e in entries(most_empty=8, n=40):
            self.assertEqual(solver.solve_moves(e.position), e.moves, e.position)

    def test_many_at_once_are_as_each_is(self):
        chosen = entries(most_empty=8, n=40)
        values = quartozero.Solver(threads=2).solve_batch([e.position for e in chosen])
        self.assertEqual(values.dtype, numpy.float32)
        self.assertEqual(values.tolist(), [e.value for e in chosen])

    def test_moves_of_many_are_by_index_and_nan_where_illegal(self):
        chosen = entries(most_empty=8, n=40)
        values = quartozero.Solver().solve_moves_batch(quartozero.to_array([e.position for e in chosen]))
        for e, row in zip(chosen, values):
            names = quartozero.MOVES[e.position.phase]
            self.assertEqual({names[i]: row[i] for i in range(16) if not numpy.isnan(row[i])}, e.moves)

    def test_a_finished_game_has_its_value_and_no_moves(self):
        won = quartozero.Position("0123/..../..../.... -")
        self.assertEqual(quartozero.Solver().solve(won), quartozero.Value.WIN)
        self.assertEqual(quartozero.Solver().solve_moves(won), {})

    def test_a_win_at_once_is_one_placement_away(self):
        distances = quartozero.Solver().distances(WINNING)
        self.assertEqual(distances["d1"], (quartozero.Value.WIN, 1))
        self.assertEqual(str(distances["d1"]), "win in 1")

    def test_the_distances_have_the_values_and_a_number_unless_drawn(self):
        solver = quartozero.Solver()
        for e in entries(most_empty=8, n=40):
            distances = solver.distances(e.position)
            self.assertEqual({move: d.value for move, d in distances.items()}, e.moves)
            for d in distances.values():
                self.assertEqual(d.placements is None, d.value == quartozero.Value.DRAW)

    def test_the_book_knows_that_the_game_is_a_draw(self):
        self.assertIs(quartozero.Solver().solve(EMPTY, seconds=5), quartozero.Value.DRAW)


class Limits(unittest.TestCase):
    def test_without_enough_time_there_is_no_value(self):
        solver = quartozero.Solver(book=False)
        self.assertIsNone(solver.solve(EMPTY, seconds=0.05))
        self.assertEqual(solver.solve_moves(EMPTY, seconds=0.05), dict.fromkeys(quartozero.PIECES))
        self.assertTrue(numpy.isnan(solver.solve_batch([EMPTY], seconds=0.05)).all())

    def test_impossible_options_are_refused(self):
        for table_mb in (0, -1, float("nan"), 1e30):
            with self.subTest(table_mb), self.assertRaises(ValueError):
                quartozero.Solver(table_mb=table_mb)
        for threads in (0, 10**6):
            with self.subTest(threads), self.assertRaises(ValueError):
                quartozero.Solver(threads=threads)

    def test_a_table_that_does_not_fit_is_a_memory_error(self):
        with self.assertRaisesRegex(MemoryError, "ask for a smaller one"):
            quartozero.Solver(table_mb=2**24)

    def test_impossible_times_are_refused(self):
        for seconds in (0, -1, float("nan"), float("inf")):
            with self.subTest(seconds), self.assertRaises(ValueError):
                quartozero.Solver().solve(quartozero.Position("0123/..../..../.... -"), seconds=seconds)

    def test_a_book_that_is_not_there_is_an_os_error(self):
        with self.assertRaisesRegex(OSError, "nowhere.book"):
            quartozero.Solver(book="nowhere.book")

    def test_none_is_no_book_and_a_number_is_a_type_error(self):
        self.assertEqual(quartozero.Solver(book=None).solve(quartozero.Position("..../2F.A/E9../.8B3 -")), quartozero.Value.DRAW)
        with self.assertRaisesRegex(TypeError, "book must be"):
            quartozero.Solver(book=3)

    def test_a_book_that_is_none_is_a_value_error(self):
        with self.assertRaisesRegex(ValueError, "not an opening book"):
            quartozero.Solver(book=__file__)

    def test_positions_under_other_rules_are_named(self):
        with self.assertRaisesRegex(ValueError, "row 1: .*'squares', not 'lines'"):
            quartozero.Solver().solve_batch([EMPTY, quartozero.Position(rules="squares")])


class Manners(unittest.TestCase):
    def test_it_is_not_copied_without_its_table(self):
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, make, quartozero.Solver(book=False))

    def test_ctrl_c_ends_a_search(self):
        solver, start = quartozero.Solver(book=False), time.process_time()
        with self.assertRaises(KeyboardInterrupt):
            interrupt_soon()
            solver.solve(EMPTY, seconds=60)
        # Of the processor: never more than by the clock, and none while the machine does something else.
        self.assertLess(time.process_time() - start, 5)
        for e in entries(most_empty=8, n=20):  # it is sound afterwards
            self.assertEqual(solver.solve(e.position), e.value)

    def test_other_threads_run_while_it_searches(self):
        solver = quartozero.Solver(book=False)
        self.assertGreaterEqual(steps_beside(lambda: solver.solve(EMPTY, seconds=0.5), enough=20), 20)

    def test_several_threads_may_share_one(self):
        solver, chosen = quartozero.Solver(), entries(most_empty=9, n=40)
        found = by_four_threads(solver.solve, [e.position for e in chosen])
        self.assertEqual(found, [e.value for e in chosen])

    def test_what_another_thread_left_no_time_for_is_not_known(self):
        free = quartozero.Solver(book=False)  # knows it in the same time
        self.assertFalse(numpy.isnan(free.solve_batch([WON], seconds=0.01)).any())
        self.assertEqual(free.solve_moves(WINNING, seconds=0.01)["d1"], quartozero.Value.WIN)
        in_own_process(ask_a_taken_solver)

    def test_ctrl_c_ends_waiting_for_another_thread(self):
        in_own_process(interrupt_who_waits_for_a_taken_solver)


if __name__ == "__main__":
    unittest.main()
