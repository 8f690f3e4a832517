"""Training, runs and evaluations from Python, with the program itself."""
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import numpy
import quartozero
from quartozero import training
from support import SOURCE, interrupt_soon

DEMO = os.path.join(SOURCE, "configs", "demo.yaml")
SMALL = {
    "network.width": 16, "network.blocks": 1, "selfplay.simulations": 4, "selfplay.threads": 1,
    "selfplay.games_in_flight": 16, "learner.threads": 1, "limits.games": 20, "limits.minutes": 0, "evaluation.every": 2,
    "evaluation.positions": 2, "evaluation.match_games": 0, "device": "cpu",
}


def small(**more):
    return {**SMALL, **{key.replace("__", "."): value for key, value in more.items()}}


class Training(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_run_is_followed_read_and_played_with(self):
        seen = []
        run = quartozero.train(DEMO, self.path("run"), settings=small(limits__iterations=4), seed=7, on_progress=seen.append)
        self.assertEqual([line["iteration"] for line in seen], [1, 2, 3, 4])
        metrics = run.metrics
        self.assertEqual(metrics["iteration"].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(metrics["games"].tolist(), [0, 20, 40, 60, 80])
        self.assertEqual(metrics["loss"].dtype, numpy.float64)
        self.assertEqual(numpy.isnan(metrics["agreement.deep"]).tolist(), [False, False, False, True, False])
        self.assertEqual(len(run.table()), 5)
        shards = sorted(os.listdir(os.path.join(run.path, "replay")))
        samples = quartozero.read_samples(os.path.join(run.path, "replay", shards[-1]))
        self.assertGreater(len(samples.positions), 20 * 10)  # 20 games
        self.assertTrue((samples.weights > 0).any())
        numpy.testing.assert_array_equal(samples.planes, quartozero.encode(samples.positions))
        numpy.testing.assert_allclose(samples.policy.sum(1), 1, atol=1e-3)
        for game in run.games.values():
            quartozero.positions_of(game)
        player = run.player(simulations=4)
        self.assertIn(player.choose(quartozero.Position()), quartozero.PIECES)
        table = quartozero.evaluate(run, simulations=(0, 2), limit=1, threads=1, no_baselines=True, beside=["oneply"],
                                    search={"proof_nodes": 0})
        self.assertEqual({mean["sims"] for mean in table["means"]}, {0, 2})
        self.assertEqual(len(table.table()), 3)
        for none in (0, numpy.int64(0)):
            self.assertEqual(len(quartozero.evaluate("uniform", simulations=none, limit=1, threads=1).table()), 3)
        self.assertEqual(quartozero.evaluate("uniform", sims=3, limit=1, threads=1)["means"],
                         quartozero.evaluate("uniform", simulations=3, limit=1, threads=1)["means"])
        self.assertEqual([r.path for r in quartozero.runs(self.folder.name)], [run.path])

    def test_a_run_that_was_stopped_goes_on(self):
        stopped = quartozero.train(DEMO, self.path("run"), settings=small(limits__iterations=100000), seed=3,
                                   on_progress=lambda line: False)
        first = stopped.lines[-1]["iteration"]
        seen = []
        settings = {"limits.iterations": first + 2}
        resumed = quartozero.train(out=stopped.path, resume=True, settings=settings, on_progress=seen.append)
        self.assertEqual([line["iteration"] for line in seen], [first + 1, first + 2])
        self.assertEqual([line["iteration"] for line in resumed.lines], list(range(first + 3)))

    def test_lines_that_a_resumed_run_writes_again_are_handed_over_once(self):
        path = self.path("run")
        os.makedirs(os.path.join(path, "checkpoint"))
        file = os.path.join(path, "metrics.jsonl")

        def write(iterations, how):
            with open(file + ".new" if how == "w" else file, how) as text:
                text.writelines(json.dumps({"iteration": i, "run": how}) + "\n" for i in iterations)
            if how == "w":
                os.rename(file + ".new", file)

        write(range(1, 6), "w")
        with open(os.path.join(path, "checkpoint", "state.json"), "w") as state:
            json.dump({"iteration": 3}, state)
        seen = []
        follower = training._Follower(path, True, lambda line: seen.append(line["iteration"]))
        follower.look()
        self.assertEqual(seen, [])  # of the session before
        write(range(1, 4), "w")
        write([4], "a")
        follower.look()
        write([5, 6], "a")
        with open(file, "a") as text:
            text.write('{"iteration"')
        follower.look()
        follower.look()
        self.assertEqual(seen, [4, 5, 6])

    def test_ctrl_c_stops_the_program_and_leaves_a_run_that_can_be_resumed(self):
        path = self.path("run")
        once = iter([interrupt_soon])

        def nothing():
            pass

        with self.assertRaises(KeyboardInterrupt):
            quartozero.train(DEMO, path, settings=small(limits__iterations=100000),
                             on_progress=lambda line: next(once, nothing)())  # False would stop the run
        last = quartozero.Run(path).lines[-1]["iteration"]
        # Nobody works on it any more.
        again = quartozero.train(out=path, resume=True, settings={"limits.iterations": last + 1})
        self.assertEqual(again.lines[-1]["iteration"], last + 1)

    def test_an_exception_of_the_callers_own_ends_the_program_too(self):
        def fail(line):
            raise RuntimeError("enough")

        path = self.path("run")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            quartozero.train(DEMO, path, settings=small(limits__iterations=100000), on_progress=fail)
        last = quartozero.Run(path).lines[-1]["iteration"]
        again = quartozero.train(out=path, resume=True, settings={"limits.iterations": last + 1})  # nobody has its lock
        self.assertEqual(again.lines[-1]["iteration"], last + 1)

    def test_the_program_ends_when_this_process_is_killed(self):
        path = self.path("run")
        code = f"import quartozero; quartozero.train({DEMO!r}, {path!r}, settings={small(limits__iterations=100000)!r})"
        with subprocess.Popen([sys.executable, "-c", code]) as killed:
            while not os.path.exists(os.path.join(path, "metrics.jsonl")):
                self.assertIsNone(killed.poll())
                time.sleep(0.05)
            killed.kill()
        with open(os.path.join(path, "lock")) as lock:  # until the program has let go of it
            fcntl.flock(lock, fcntl.LOCK_EX)

    def test_what_is_wrong_is_said_in_the_programs_words(self):
        with self.assertRaisesRegex(quartozero.TrainingError, "learner.bathc"):
            quartozero.train(DEMO, self.path("x"), settings={"learner.bathc": 1})
        with self.assertRaisesRegex(quartozero.TrainingError, "absent"):
            quartozero.evaluate(self.path("absent"))
        with self.assertRaises(TypeError):
            quartozero.train(DEMO)
        for wrong in ({"on_progress": 3}, {"settings": ["limits.minutes=1"]}):
            with self.assertRaises(TypeError):
                quartozero.train(DEMO, self.path("x"), **wrong)
        with self.assertRaises(ValueError):
            quartozero.train(DEMO, self.path("x"), seed=-1)
        self.assertFalse(os.path.exists(self.path("x")))
        with self.assertRaises(FileNotFoundError):
            quartozero.Run(self.path("absent"))
        with mock.patch.dict(os.environ, {"QUARTOZERO_PROGRAM": self.path("absent")}):
            with self.assertRaisesRegex(FileNotFoundError, "QUARTOZERO_PROGRAM"):
                quartozero.train(DEMO, self.path("x"))

    def test_a_damaged_line_is_named_and_one_being_written_left_out(self):
        os.mkdir(self.path("run"))
        file = os.path.join(self.path("run"), "metrics.jsonl")
        with open(file, "w") as text:
            text.write(json.dumps({"iteration": 1, "store": {"actors": 2}, "limit": "x"}) + "\n" + '{"iteration": 2')
        run = quartozero.Run(self.path("run"))
        self.assertEqual(run.metrics["store.actors"].tolist(), [2.0])
        self.assertNotIn("limit", run.metrics)
        with open(file, "a") as text:
            text.write("x\n")
        with self.assertRaisesRegex(ValueError, "metrics.jsonl:2"):
            run.metrics
        with self.assertRaises(FileNotFoundError):
            run.player()


class Frames(unittest.TestCase):
    def test_without_pandas_tables_are_lists(self):
        with mock.patch.dict("sys.modules", {"pandas": None}):
            self.assertEqual(training.frame([{"a": 1}]), [{"a": 1}])


if __name__ == "__main__":
    unittest.main()
