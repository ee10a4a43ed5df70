"""`headlight grade` and `headlight exercise` from outside: the table, the report, and what is refused. Whether the verdicts are
right on the work of a whole class is tested in tests/library/grade.py."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

from program import SETUP, ProgramTest

NOBODY = 65534
TOP = pathlib.Path(__file__).parents[2]
COLUMNS = ["name", "agrees", "first_difference", "mistake", "fix", "tensors", "known_by", "seconds", "error"]


class GradeTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("setup.toml", SETUP)
        self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as file:
            self.trace = dict(file)
        (self.folder / "class").mkdir()

    def save(self, name, **arrays):
        np.savez(self.folder / "class" / name, **arrays)

    def right(self, *names):
        return {name: self.trace[name] for name in names}

    def rows(self, *arguments, what=("--setup", "setup.toml"), columns=COLUMNS):
        self.succeed("grade", "class", *what, "-o", "grades.csv", *arguments)
        with open(self.folder / "grades.csv", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
        self.assertEqual(reader.fieldnames, columns)
        return {row["name"]: row for row in rows}


class Grade(GradeTest):
    def test_a_row_for_each(self):
        self.save("bob.npz", scores=self.trace["dot_products"])
        self.save("ann.npz", **self.right("scores", "weights", "output"))
        self.save("cem.npz", mine=self.trace["concat"])
        (self.folder / "class/dan").mkdir()
        np.save(self.folder / "class/dan/output.npy", self.trace["output"])
        np.save(self.folder / "class/dan/attn.npy", self.trace["weights"])
        self.write("class/dan/notes.md", "Mine.")
        (self.folder / "class/emptied").mkdir()
        self.write("class/.hidden", "nothing")
        self.write("class/fay.txt", f"out:\n{self.trace['output']}")
        self.write("class/gil.npz", "no archive")
        rows = self.rows()
        self.assertEqual(list(rows), ["ann.npz", "bob.npz", "cem.npz", "dan", "emptied", "fay.txt", "gil.npz"])
        ann, bob = rows["ann.npz"], rows["bob.npz"]
        self.assertEqual((ann["agrees"], ann["first_difference"], ann["mistake"], ann["fix"]), ("true", "", "", ""))
        self.assertEqual((ann["tensors"], ann["known_by"], ann["error"]), ("scores weights output", "name name name", ""))
        self.assertGreaterEqual(float(ann["seconds"]), 0)
        self.assertEqual((bob["agrees"], bob["first_difference"], bob["mistake"]), ("false", "scores", "scale_missing"))
        self.assertEqual(bob["fix"], "scores = dot_products / d_head**0.5")
        self.assertEqual((rows["cem.npz"]["tensors"], rows["cem.npz"]["known_by"]), ("concat", "numbers"))
        self.assertEqual((rows["dan"]["agrees"], rows["dan"]["tensors"]), ("true", "weights output"))
        self.assertEqual(rows["fay.txt"]["agrees"], "true")
        for name, word in (("emptied", "without arrays"), ("gil.npz", "npz or npy")):
            self.assertIn(word, rows[name]["error"])
            self.assertEqual([rows[name][column] for column in COLUMNS[1:-1]], [""] * 7)

    def test_a_folder_that_leads_into_itself(self):
        (self.folder / "class/ann").mkdir()
        (self.folder / "class/ann/round").symlink_to("round")
        self.assertEqual(self.rows()["ann"]["error"].split(":")[0], "round", "the row says already whose it is")

    def test_a_folder_with_words_beside_its_arrays(self):
        """A report, or the notebook that wrote the file beside it. A file of arrays that is damaged counts."""
        for name in ("ann", "bob", "cem"):
            (self.folder / "class" / name).mkdir()
            self.write(f"class/{name}/notebook.ipynb", json.dumps({"cells": [], "nbformat": 4}))
            self.write(f"class/{name}/readme.txt", "My homework.")
        self.save("ann/mine.npz", **self.right("weights", "output"))
        self.save("bob/mine.npz", **self.right("weights"))
        self.write("class/bob/output.npy", "damaged")
        self.save("dan.npz", output=np.array([{}], dtype=object))
        rows = self.rows()
        self.assertTrue(rows["dan.npz"]["error"].startswith("output.npy: "), "the name of the submission is there already")
        self.assertEqual((rows["ann"]["agrees"], rows["ann"]["tensors"]), ("true", "weights output"))
        self.assertIn("output.npy", rows["bob"]["error"])
        self.assertIn("notebook.ipynb", rows["cem"]["error"])

    def test_what_nobody_may_read(self):
        """Root could, so as root the program runs as the user nobody."""
        self.save("ann.npz", **self.right("output"))
        self.write("class/bob.npz", "closed")
        (self.folder / "class/cem").mkdir()
        for name in ("bob.npz", "cem"):
            (self.folder / "class" / name).chmod(0)
            self.addCleanup((self.folder / "class" / name).chmod, 0o755)
        self.folder.chmod(0o777)
        someone = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        ended = self.start("grade", "class", "--setup", "setup.toml", "-o", "grades.csv", program=self.program_for_everybody(), **someone)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        with open(self.folder / "grades.csv", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        self.assertEqual(rows["ann.npz"]["agrees"], "true")
        for name in ("bob.npz", "cem"):
            self.assertIn("found Permission denied", rows[name]["error"])

    def test_a_notebook_as_it_was_saved(self):
        def cell(source, *outputs):
            return {"cell_type": "code", "source": source, "outputs": list(outputs)}

        def printed(array):
            return {"output_type": "stream", "name": "stdout", "text": str(array).splitlines(keepends=True)}

        def result(array):
            return {"output_type": "execute_result", "data": {"text/plain": repr(array)}}

        cells = [cell("print(weights)", printed(self.trace["weights"] * 2)),  # replaced below
                 cell(["print('Epoch [1/10]')\n", "weights"], result(self.trace["weights"])),
                 cell("print('scores', scores)\n", printed("scores " + str(self.trace["scores"]))),
                 cell("big", result("array([[0.1, ..., 0.2]])")),
                 {"cell_type": "markdown", "source": "[1, 2]"}]
        self.write("class/ann.ipynb", json.dumps({"nbformat": 4, "cells": cells}))
        self.write("class/bob.ipynb", json.dumps({"nbformat": 4, "cells": [cell("1 + 1", result(2))]}))
        self.write("class/cem.ipynb", "{}")
        rows = self.rows()
        self.assertEqual((rows["ann.ipynb"]["agrees"], rows["ann.ipynb"]["tensors"]), ("true", "scores weights"))
        self.assertIn("no array", rows["bob.ipynb"]["error"])
        self.assertIn("notebook", rows["cem.ipynb"]["error"])
        said = self.succeed("diagnose", "--setup", "setup.toml", "class/ann.ipynb")
        self.assertIn("Everything agrees", said)

    def test_which_files_of_a_folder_count(self):
        """Also those with a name in capitals, and none that is hidden; together they keep to the limit."""
        for name in ("ann/A.NPZ", "bob/.ipynb_checkpoints/a.npz", "bob/b.npz", "cem/a.npz", "cem/b.npz"):
            (self.folder / "class" / name).parent.mkdir(parents=True, exist_ok=True)
            with open(self.folder / "class" / name, "wb") as file:
                arrays = {"Q": self.trace["Q"] * 3} if "check" in name else self.right("output")
                np.savez(file, notes=np.zeros(20000 if "cem" in name else 1), **arrays)
        rows = self.rows("--memory-limit", "250KiB", "--html", "report.html")
        self.assertEqual([rows[name]["agrees"] for name in ("ann", "bob", "cem")], ["true", "true", ""])
        self.assertIn("up to", rows["cem"]["error"])
        self.save("dan.npz", output=self.trace["output"][0, 1:])
        self.rows("--html", "report.html")
        self.assertIn("can't be read; allowed: the shape (2, 4, 8)", (self.folder / "report.html").read_text())

    def test_a_submission_of_very_many_files(self):
        self.save("ann.npz", **self.right("output"))
        for name, count in (("bob", 1000), ("cem", 1001)):
            (self.folder / "class" / name).mkdir()
            for i in range(count):
                self.write(f"class/{name}/{i}.npy", "")
        rows = self.rows()
        self.assertEqual(rows["ann.npz"]["agrees"], "true")
        self.assertNotIn("files", rows["bob"]["error"])
        self.assertIn("more than 1000 files", rows["cem"]["error"])

    def test_the_same_on_every_run_and_any_number_of_threads(self):
        for i in range(12):
            self.save(f"{i:02}.npz", output=self.trace["output"] if i % 3 else self.trace["concat"])
        tables = []
        for threads in ("1", "3", "3"):
            self.succeed("grade", "class", "--setup", "setup.toml", "-o", "grades.csv", environment={"OMP_NUM_THREADS": threads})
            rows = list(csv.DictReader((self.folder / "grades.csv").read_text().splitlines()))
            tables.append([{**row, "seconds": ""} for row in rows])
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])

    def test_what_it_writes_is_no_submission(self):
        self.save("ann.npz", **self.right("output"))
        for _ in range(2):
            self.succeed("grade", "class", "--setup", "setup.toml", "-o", "class/grades.csv", "--html", "class/report.html")
        self.assertEqual((self.folder / "class/grades.csv").read_text().count("\n"), 2)

    def test_what_it_writes_takes_the_place_of_nothing(self):
        """No exercise, no setup, nobody's work, and the page not that of the table."""
        self.save("ann.npz", **self.right("output"))
        self.write("exercise.toml", SETUP + '\n[exercise]\nhand_in = ["output"]\n')
        os.symlink("exercise.toml", self.folder / "link.toml")
        (self.folder / "class/eve").mkdir()
        for name in ("bob.txt", "bob.csv", "eve/notes"):
            self.write("class/" + name, "output = [[1.0, 2.0]]\n")
        exercise = ("--exercise", "exercise.toml")
        for arguments in ((*exercise, "-o", "exercise.toml"), (*exercise, "-o", "link.toml"), (*exercise, "-o", "./class/../exercise.toml"),
                          ("--setup", "setup.toml", "-o", "setup.toml"), (*exercise, "-o", "g.csv", "--html", "exercise.toml"),
                          (*exercise, "-o", "g.csv", "--html", "./g.csv"), (*exercise, "-o", "class/ann.npz"),
                          (*exercise, "-o", "class/bob.txt"), (*exercise, "-o", "class/bob.csv"), (*exercise, "-o", "class/eve/notes")):
            with self.subTest(arguments):
                self.assert_in_order(self.complain("grade", "class", *arguments)[0], arguments[-1], "another file")
        self.succeed("grade", "class", *exercise, "-o", "/dev/stdout", "--html", "/dev/stdout")

    def test_names_are_safe_for_spreadsheets_and_pages(self):
        self.save("=cmd|'calc'!A1.npz", **self.right("output"))
        self.save("a,\"b\".npz", **self.right("output"))
        self.save("<img src=x onerror=alert(1)>.npz", **self.right("output"))
        self.write("odd.toml", SETUP.replace("A small one", "<b>\\u202Efdp.exe\\u009B"))
        self.succeed("grade", "class", "--setup", "odd.toml", "-o", "odd.csv", "--html", "odd.html")
        page = (self.folder / "odd.html").read_text()
        self.assertIn("&lt;b&gt;\\u202Efdp.exe\\u009B", page)
        rows = self.rows("--html", "report.html")
        self.assertEqual(list(rows), ["<img src=x onerror=alert(1)>.npz", "'=cmd|'calc'!A1.npz", "a,\"b\".npz"])
        page = (self.folder / "report.html").read_text()
        self.assertNotIn("<img", page)
        self.assertIn("&lt;img", page)

    def test_the_report(self):
        self.save("ann.npz", **self.right("output"))
        for name in ("bob", "cem"):
            self.save(name, scores=self.trace["dot_products"])
        self.save("dan.npz", output=self.trace["concat"], secret_notes=np.zeros(3))
        self.write("class/eve.npz", "my phone number")
        self.rows("--html", "report.html")
        page = (self.folder / "report.html").read_text()
        self.assert_in_order(page, "A small one: 5 submissions", "<strong>1</strong> right", ">2<", "not scaled", ">1<", "can't be read",
                             "bob.npz", "cem.npz", "dan.npz", "eve.npz", "ann.npz", "<section", "scores = dot_products / d_head**0.5")
        for word in ("secret_notes", "phone", "http"):
            self.assertNotIn(word, page)
        self.assertIn("can't be read; allowed: an npz or npy file", page)
        table = (self.folder / "grades.csv").read_text()
        self.rows("--html", "report.html", "--anonymous")
        page = (self.folder / "report.html").read_text()
        for name in ("ann", "bob", "cem", "dan", "eve"):
            self.assertNotIn(f">{name}<", page)
            self.assertNotIn(f"{name}.npz", page)
        self.assert_in_order(page, "submission 1<", "submission 5<")
        self.assertEqual(len(table.splitlines()), len((self.folder / "grades.csv").read_text().splitlines()))
        self.assertIn("ann.npz", (self.folder / "grades.csv").read_text())

    def test_the_report_names_the_lesson_to_teach(self):
        """The step that makes the mistake, or the lesson about its kind; none where the course has none."""
        self.save("a.npz", scores=self.trace["dot_products"])
        e = np.exp(self.trace["masked_scores"])
        with np.errstate(invalid="ignore"):
            self.save("b.npz", masked_scores=self.trace["masked_scores"], weights=np.nan_to_num(e / e.sum(-2, keepdims=True)))
        self.save("c.npz", scores=self.trace["scores"].swapaxes(-1, -2))
        self.rows("--html", "report.html")
        page = (self.folder / "report.html").read_text()
        self.assertRegex(page, r'data-talk="scale_missing" hidden>Talk about it: <strong>Why the scale is √d_head</strong> ')
        where = re.search(r'data-talk="softmax_over_queries" hidden>.*<strong>It runs, and it is wrong</strong>, step (\d+) .*'
                          r"headlight --lecture mistakes --step \1<", page)
        lecture = (TOP / "assets/lectures/mistakes.md").read_text()
        before = lecture[:lecture.index('mistake = "softmax_over_queries"')]
        self.assertEqual(int(where[1]), before.count("\n## "))
        self.assertNotIn('data-talk="queries_and_keys_swapped"', page)

    def test_words_are_true_of_all_that_they_count(self):
        for i, factor in enumerate((0.3, 0.7)):
            self.save(f"{i}.npz", scores=self.trace["dot_products"] * factor)
        self.save("other.npz", Q=self.trace["X"], scores=self.trace["scores"], output=self.trace["concat"])
        said = self.succeed("grade", "class", "--setup", "setup.toml", "-o", "grades.csv", "--html", "report.html")
        self.assertIn("   2  the dot products are multiplied by another constant (scale_factor)\n", said)
        page = (self.folder / "report.html").read_text()
        self.assertIn('<span class="words">the dot products are multiplied by another constant</span>', page)
        self.assertRegex(page, ">X<.*>scores<.*>concat<", "in the order of the forward pass")

    def test_a_lecture_several_layers_and_progress(self):
        self.succeed("compute", "--lecture", "bank", "-o", "class/bank.npz")
        self.assertEqual(self.rows(what=("--lecture", "bank"))["bank.npz"]["agrees"], "true")
        stack = SETUP.replace("heads = 2", "heads = 2\nlayers = 2").replace('"W_', '"L*: W_') + "\n[block]\nresidual = true\n"
        self.write("stack.toml", stack)
        self.succeed("compute", "--setup", "stack.toml", "-o", "stack.npz")
        with np.load(self.folder / "stack.npz") as file:
            wrong = {name: array * 3 if name == "L1.scores" else array for name, array in dict(file).items()}
        self.save("stack.npz", **wrong)
        row = self.rows(what=("--setup", "stack.toml"))["stack.npz"]
        self.assertEqual((row["agrees"], row["first_difference"]), ("false", "L1.scores"))
        ended = self.start("grade", "class", "--setup", "stack.toml", "-o", "grades.csv", "--progress")
        self.assertIn("progress 1.00", ended.stderr.decode())

    def test_what_is_refused(self):
        self.save("ann.npz", **self.right("output"))
        (self.folder / "none").mkdir()
        for arguments, words in (
                ("class -o g.csv", ["none of --lecture"]),
                ("nowhere --setup setup.toml -o g.csv", ["nowhere", "no such folder"]),
                ("setup.toml --setup setup.toml -o g.csv", ["setup.toml", "a file", "a folder"]),
                ("none --setup setup.toml -o g.csv", ["none", "no submissions"]),
                ("class --setup setup.toml -o no/g.csv", ["no/g.csv"]),
                ("class --setup setup.toml -o g.csv --html no/r.html", ["no/r.html"]),
                ("class --setup setup.toml -o g.csv --anonymous", ["--html"]),
                ("class --exercise setup.toml -o g.csv", ["setup.toml", "exercise", "hand_in"]),
                ("class --exercise setup.toml --lecture bank -o g.csv", ["--exercise"])):
            with self.subTest(arguments):
                self.assert_in_order("\n".join(self.complain("grade", *arguments.split())), *words)


class Exercise(GradeTest):
    def make(self, *arguments, hand_in="scores,weights,output", setup="setup.toml"):
        self.succeed("exercise", "--setup", setup, "--hand-in", hand_in, "-o", "homework", *arguments)
        return (self.folder / "homework/template.py").read_text()

    def run_template(self, text, folder="class/ann"):
        (self.folder / folder).mkdir(exist_ok=True)
        (self.folder / folder / "homework.py").write_text(text)
        return subprocess.run([sys.executable, "homework.py"], cwd=self.folder / folder, capture_output=True, text=True, timeout=120)

    def test_from_the_template_to_the_grade(self):
        for generator in ("numpy", "torch"):
            with self.subTest(generator):
                setup = SETUP.replace('"numpy"', f'"{generator}"')
                self.write(f"{generator}.toml", setup)
                self.succeed("exercise", "--setup", f"{generator}.toml", "--hand-in", "weights, scores", "-o", f"{generator}/new")
                template = (self.folder / generator / "new/template.py").read_text()
                self.assertNotIn("Q_heads =", template)
                empty = self.run_template(template)
                self.assertIn("AssertionError: scores is missing", empty.stderr)
                split = "reshape(batch, query_length, heads, d_head).swapaxes(1, 2)"
                own = f"scores = (X @ W_q).{split} @ (X @ W_k).{split}.swapaxes(-1, -2) / d_head**0.5\n"
                wrong_shape = self.run_template(template.replace("\n\n\n# What is handed in", f"\n{own}scores = scores[0]\nweights = scores\n\n# What"))
                self.assertIn("AssertionError: scores has the shape (2, 4, 4), not (2, 2, 4, 4)", wrong_shape.stderr)
                done = self.run_template(template.replace("\n\n\n# What is handed in", f"\n{own}weights = scores * 0\n\n# What"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(set(np.load(self.folder / "class/ann/mine.npz")), {"scores", "weights"})
                row = self.rows(what=("--exercise", f"{generator}/new/exercise.toml"))["ann"]
                self.assertEqual((row["agrees"], row["first_difference"], row["error"]), ("false", "weights", ""))
                self.write("printed.txt", done.stdout)
                said = self.start("diagnose", "--setup", f"{generator}.toml", "printed.txt").stdout.decode()
                self.assertIn("The first difference is in weights", said)

    def test_what_counts(self):
        """Everything that is to be handed in, and nothing else; scores may be masked already."""
        self.make()
        self.save("all.npz", **self.right("masked_scores", "weights", "output"))
        self.save("half.npz", **self.right("weights"))
        self.save("more.npz", Q=self.trace["K"], **self.right("scores", "weights", "output"))
        rows = self.rows(what=("--exercise", "homework/exercise.toml"))
        self.assertEqual([rows[name]["agrees"] for name in ("all.npz", "half.npz", "more.npz")], ["true", "false", "true"])
        self.assertEqual(rows["half.npz"]["error"], "not handed in: scores, output")
        self.assertEqual(rows["more.npz"]["first_difference"], "")

    def test_what_was_asked_for_by_name_is_that(self):
        """Although its numbers are those of another tensor."""
        self.make()
        self.save("unscaled.npz", scores=self.trace["dot_products"], **self.right("weights", "output"))
        self.save("unsoftened.npz", weights=self.trace["masked_scores"], **self.right("scores", "output"))
        self.save("untouched.npz", output=self.trace["X"], **self.right("scores", "weights"))
        rows = self.rows(what=("--exercise", "homework/exercise.toml"))
        for name, first, mistake in (("unscaled.npz", "scores", "scale_missing"), ("unsoftened.npz", "weights", "softmax_missing"),
                                     ("untouched.npz", "output", "")):
            self.assertEqual([rows[name][column] for column in ("agrees", "first_difference", "error")], ["false", first, ""])
            self.assertEqual((rows[name]["tensors"], rows[name]["known_by"]), ("scores weights output", "name name name"))
            self.assertIn(mistake, rows[name]["mistake"])

    def test_points(self):
        """A tensor has its points if it is right, or its own step is, so that one mistake costs once."""
        self.make()
        exercise = self.folder / "homework/exercise.toml"
        text = exercise.read_text()
        self.assertIn("# points = { scores = 1, weights = 1, output = 1 }", text)
        exercise.write_text(text.replace("# points = { scores = 1, weights = 1", "points = { scores = 3.5, weights = 2"))
        unscaled = np.where(np.isfinite(self.trace["masked_scores"]), self.trace["dot_products"], -np.inf)
        e = np.exp(unscaled - unscaled.max(-1, keepdims=True))
        self.save("ann.npz", scores=self.trace["dot_products"], weights=e / e.sum(-1, keepdims=True), output=self.trace["output"])
        self.save("bob.npz", **self.right("scores", "weights", "output"))
        self.write("class/cem.npz", "no archive")
        rows = self.rows("--html", "report.html", what=("--exercise", "homework/exercise.toml"), columns=[*COLUMNS, "points"])
        self.assertEqual([row["points"] for row in rows.values()], ["3", "6.5", ""])
        page = (self.folder / "report.html").read_text()
        self.assert_in_order(page, "Points of 6.5", "ann.npz", "<td>3</td>", "bob.npz", "<td>6.5</td>")

    def test_an_exercise_is_a_setup(self):
        self.make()
        self.succeed("compute", "--setup", "homework/exercise.toml", "-o", "again.npz")
        with np.load(self.folder / "again.npz") as again:
            np.testing.assert_array_equal(again["output"], self.trace["output"])

    def test_what_somebody_changed_stays(self):
        template = self.make()
        self.assertEqual(self.make(), template)
        self.write("homework/template.py", template + "# mine\n")
        (self.folder / "homework/exercise.toml").unlink()  # and is not written beside what somebody changed
        said = self.complain("exercise", "--setup", "setup.toml", "--hand-in", "scores,weights,output", "-o", "homework")
        self.assert_in_order(said[0], "template.py", "something else")

    def test_what_is_refused(self):
        for hand_in, words in (("nothing", ["--hand-in", "nothing", "some of Q"]), ("", ["--hand-in", "an empty name"]), ("W_q", ["W_q", "some of"]),
                               ("scores,,output", ["--hand-in", "an empty name"]), ("q" * 100_000, ["--hand-in", "qqq…", "some of"])):
            with self.subTest(hand_in[:20]):
                said = self.complain("exercise", "--setup", "setup.toml", "--hand-in", hand_in, "-o", "homework")
                self.assert_in_order("\n".join(said), *words)
                self.assertLess(len(said[0]), 500)
        for table, words in (("hand_in = []", ["hand_in", "nothing"]), ("hand_in = 3", ["bad.toml:", "exercise.hand_in"]),
                             ('hand_in = ["nothing"]', ["exercise.hand_in", "nothing"]),
                             ('hand_in = ["output"]\npoints = { output = -1 }', ["bad.toml:", "exercise.points.output", "-1"]),
                             ('hand_in = ["output"]\npoints = { output = 1e308 }', ["exercise.points.output", "1e+308", "from 0 to 1000000"]),
                             ('hand_in = ["output"]\npoints = { scores = 1 }', ["exercise.points.scores", "allowed: output"]),
                             ('hand_in = ["output"]\nhand_out = 1', ["exercise.hand_out"])):
            with self.subTest(table):
                self.write("bad.toml", SETUP + f"\n[exercise]\n{table}\n")
                self.save("ann.npz", **self.right("output"))
                said = self.complain("grade", "class", "--exercise", "bad.toml", "-o", "g.csv")
                self.assert_in_order("\n".join(said), *words)
        self.write("bad.toml", SETUP + '\n[exercise]\nhand_in = [3]\npoints = { output = 1 }\n')
        said = self.complain("grade", "class", "--exercise", "bad.toml", "-o", "g.csv")
        self.assertEqual(len(said), 1, "points are not judged by what could not be read")


if __name__ == "__main__":
    unittest.main()
