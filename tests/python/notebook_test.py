"""examples/notebook: its cells run in order, as Jupyter would run them, with a shorter training."""
import ast
import importlib.util
import json
import os
import sys
import tempfile
import unittest

if importlib.util.find_spec("matplotlib") is None:
    sys.exit("matplotlib is not installed: make test installs it; apt install python3-matplotlib")
import matplotlib

matplotlib.use("Agg")
from support import SOURCE

NOTEBOOK = os.path.join(SOURCE, "examples", "notebook", "first_run.ipynb")


def run_cell(source, names):
    """Runs a cell; returns the value of its last line, if that is an expression, as Jupyter shows it."""
    tree = ast.parse(source)
    shown = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, NOTEBOOK, "exec"), names)
        shown = eval(compile(last, NOTEBOOK, "eval"), names)
    else:
        exec(compile(tree, NOTEBOOK, "exec"), names)
    return shown


class Notebook(unittest.TestCase):
    def test_runs_from_nothing_to_a_curve(self):
        with open(NOTEBOOK, encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual(notebook["nbformat"], 4)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["QUARTOZERO_NOTEBOOK_OUT"] = folder
            os.environ["QUARTOZERO_NOTEBOOK_ITERATIONS"] = "2"
            names = {"__name__": "__main__"}
            os.chdir(os.path.dirname(NOTEBOOK))  # as Jupyter does
            shown = []
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "outputs are not kept in the tree")
                shown.append(run_cell("".join(cell["source"]), names))
            with open(os.path.join(folder, "curve.png"), "rb") as picture:
                self.assertEqual(picture.read(4), b"\x89PNG")
            self.assertGreaterEqual(len(names["run"].lines), 2)
            self.assertEqual({mean["sims"] for mean in names["agreement"]["means"]}, {0, 32})
            self.assertGreater(len(names["game"].moves), 7)


if __name__ == "__main__":
    unittest.main()
