"""What the shells offer, and what the manual pages say: everything that --help, `lectures` and `keys` know."""

import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import time
import unittest

from program import HEADLIGHT, ProgramTest

COMPLETION = pathlib.Path(__file__).parents[2] / "assets" / "completion"
# Options whose values nobody can list: numbers, sizes, a person's own names.
FREE = {"A", "R", "N", "N,N,...", "S", "T", "K", "TEXT", "SIZE", "HEAD", "ITEM", "WxH", "DPI", "SCALE", "FOLDER", "COMMAND", "NAMES"}


def quoted(*names):
    """A path among the completions as a shell takes it, wherever the project lies."""
    return shlex.quote(str(COMPLETION.joinpath(*names)))



def options_of(help_text):
    """(names, type) of each option in the text of --help."""
    rows = re.findall(r"(?m)^  (-\S+)(?: ([^\s=]+)?(?:=\S+)?)?", help_text)
    return [(names.split(","), kind if kind.isupper() or kind in ("WxH", "KEY=LOW..HIGH") else "") for names, kind in rows]


class HelpTest(ProgramTest):
    def commands(self):
        listed = self.succeed("--help").partition("Subcommands:")[2].partition("\n\n")[0]
        return re.findall(r"(?m)^  (\S+)", listed)

    def offered(self, *words):
        """The words that can stand last on the line."""
        return [line.split("\t")[0] for line in self.succeed("complete", *words).splitlines()]


class Completion(HelpTest):
    def test_commands(self):
        self.assertGreater(len(self.commands()), 10)
        self.assertEqual([word for word in self.offered("") if word != ":files"], self.commands())
        self.assertEqual(self.offered("dia"), ["diagnose", ":files"])
        self.assertEqual(self.offered("--lecture", "bank", ""), [":files"])

    def test_every_option_of_every_command(self):
        for command in [[], *([name] for name in self.commands())]:
            options = options_of(self.succeed(*command, "--help"))
            self.assertGreaterEqual(len(options), 2)
            names = {name for names, _ in options for name in names}
            self.assertEqual(set(self.offered(*command, "-")), names, command)

    def test_every_value_that_can_be_listed(self):
        seen = set()
        for command in [[], *([name] for name in self.commands())]:
            for names, kind in options_of(self.succeed(*command, "--help")):
                if not kind or kind in FREE or names[-1] in ("--name", "--part"):
                    continue
                seen.add(kind)
                with self.subTest(command=command, option=names):
                    self.assertNotEqual(self.offered(*command, names[-1], ""), [])
        self.assertLessEqual({"ID", "FILE", "DIR", "VIEW", "FIGURE", "TENSOR", "CELL", "FORM", "THEME", "PAPER"}, seen)

    def test_an_option_is_offered_until_it_is_given(self):
        self.assertNotIn("--lecture", self.offered("render", "--lecture", "bank", "--"))
        self.assertIn("--set", self.offered("render", "--set", "sizes.heads=2", "--"))
        self.assertEqual(self.offered("render", "--theme="), ["--theme=dark", "--theme=light"])

    def test_lectures_also_one_s_own(self):
        ids = re.findall(r"(?m)^([a-z0-9-]+) +\d+ ", self.succeed("lectures"))
        self.assertEqual(self.offered("render", "--lecture", ""), ids)
        self.assertEqual(self.offered("check", ""), ids)
        self.write("mine.md", '+++\ntitle = "Two words"\n[setup]\n+++\n\n## Every word asks every word\n')
        self.assertIn("mine", self.offered("--lectures", ".", "--lecture", ""))
        self.assertEqual(self.succeed("complete", "--lectures", ".", "--lecture", "min"), "mine\tTwo words\n")
        self.assertEqual(self.offered("--lectures", "nowhere", "--lecture", ""), [])

    def test_steps_and_parts_of_the_lecture(self):
        rows = dict(re.findall(r"(?m)^([a-z0-9-]+) +(\d+) ", self.succeed("lectures")))
        self.assertEqual(len(self.offered("render", "--lecture", "masks", "--step", "")), int(rows["masks"]))
        self.assertEqual(self.offered("render", "--step", ""), [])
        self.assertIn("main", self.offered("render", "--lecture", "masks", "--part", ""))

    def test_keys_and_their_values(self):
        rows = [re.split(r" {2,}", row) for row in self.succeed("keys").splitlines()[2:]]
        self.assertEqual(self.offered("render", "--set", ""), [f"{row[0]}=" for row in rows])
        for key, _, allowed, _ in rows:
            words = re.findall(r'"([^"]+)"', allowed) if "one of" in allowed or "any of" in allowed else []
            if allowed == "true or false":
                words = ["true", "false"]
            if words:
                value = '{}=["{}"]' if "any of" in allowed else "{}={}"
                self.assertEqual(self.offered("render", "--set", f"{key}="), [value.format(key, word) for word in words])

    def test_what_is_offered_for_set_is_accepted(self):
        for key in ("attention.source", "position.encoding", "mask.kinds", "random.generator", "task.name"):
            for assignment in self.offered("export", "--set", f"{key}="):
                self.start("export", "--lecture", "bank", "--set", assignment, "--as", "setup")
        for assignment in self.offered("render", "--set", "position.encoding="):
            self.succeed("export", "--lecture", "bank", "--set", assignment, "--as", "setup")
        self.succeed("export", "--lecture", "bank", "--set", 'mask.kinds=["causal"]', "--as", "setup")

    def test_tensors_views_and_how_they_are_shown(self):
        self.assertLessEqual({"X", "W_q", "weights", "grad_W_q"}, set(self.offered("render", "--tensor", "")))
        self.assertIn("weights[", self.offered("explain", "--cell", ""))
        views = re.search(r"--view VIEW +(.*?) \(default", self.succeed("render", "--help"), re.DOTALL)[1]
        self.assertEqual(self.offered("render", "--view", ""), re.split(r", | or ", views))
        self.assertIn("head_order=", self.offered("render", "--show", ""))
        self.assertIn("weights.range=min_max", self.offered("render", "--show", "weights.range="))
        self.assertIn("att=weights", self.offered("diagnose", "mine.npz", "--name", "att="))

    def test_a_line_that_makes_no_sense(self):
        for words in (["--lecture", "nowhere", "--step", ""], ["render", "--no-such", ""], ["", "", ""], ["-"], ["="], []):
            self.succeed("complete", *words)


class Manual(HelpTest):
    def test_every_command_and_option_has_its_place(self):
        self.succeed("manual", "-o", "man1")
        pages = {path.name for path in (self.folder / "man1").iterdir()}
        self.assertEqual(pages, {"headlight.1", *(f"headlight-{command}.1" for command in self.commands())})
        overview = (self.folder / "man1/headlight.1").read_text()
        for command in self.commands():
            page = (self.folder / f"man1/headlight-{command}.1").read_text()
            self.assertEqual(self.succeed("manual", command), page)
            self.assertIn(f".BR headlight\\-{command} (1)", overview)
            for names, _ in options_of(self.succeed(command, "--help")):
                for name in names:
                    self.assertIn("\\fB\\%" + name.replace("-", "\\-") + "\\fR", page)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(page, rf"(?m)^\.SH {section}\n[^.]|^\.SH {section}\n\.(TP|PP|EX|BR)", command)
            self.assertTrue(page.isascii())

    def test_groff_finds_nothing_to_warn_of(self):
        self.succeed("manual", "-o", "man1")
        for page in (self.folder / "man1").iterdir():
            said = subprocess.run(["groff", "-man", "-ww", "-z", str(page)], capture_output=True, timeout=60)
            self.assertEqual((said.returncode, said.stdout, said.stderr), (0, b"", b""), page.name)

    def test_the_examples_work(self):
        for command in self.commands():
            examples = self.succeed(command, "--help").partition("Examples:\n")[2].splitlines()
            self.assertNotEqual(examples, [], command)
            for line in examples:
                if "model.safetensors" in line or " setup.toml" in line:
                    continue  # a model of one's own
                ended = subprocess.run(line, shell=True, cwd=self.folder, capture_output=True, timeout=240,
                                       env=os.environ | {"PATH": f"{HEADLIGHT.parent}:{os.environ['PATH']}"})
                self.assertEqual(ended.returncode, 0, f"{line}: {ended.stderr}")

    def test_a_page_that_is_not_there(self):
        self.assert_in_order(self.complain("manual", "rendr")[0], "rendr", "render")
        self.complain("manual", "render", "-o", "man1")


class Shell:
    """An interactive shell in which `headlight` prints its arguments, each in < >, but still answers completion."""

    function = f'headlight() {{ if [ "$1" = complete ]; then {shlex.quote(str(HEADLIGHT))} "$@"; else printf "<%s>" "$@"; echo; fi; }}'

    def __init__(self, arguments, setting_up, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, {"PATH": os.environ["PATH"], "TERM": "xterm", "PS1": "> ", "HOME": str(folder),
                                                 "LC_ALL": "C.UTF-8"})
        self.said = b""
        for line in [*setting_up, "PS1='READY'"]:
            self.send(line + "\n")
        self.wait_for(b"READY")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, *signs):
        end = time.monotonic() + 30
        while not all(sign in self.said for sign in signs):
            if time.monotonic() > end or not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"waited for {signs}, saw {self.said!r}")
            self.said += os.read(self.terminal, 65536)

    def arguments_after(self, typed):
        """Types the text, Tab where it has one, and Enter; returns the words that the program got."""
        self.said = b""
        self.send(typed + "; echo DO''NE\n")
        self.wait_for(b"DONE")
        printed = [line for line in self.said.decode(errors="replace").splitlines() if line.lstrip().startswith("<")]
        return re.findall(r"<(.*?)>", printed[-1]) if printed else []

    def close(self):
        os.write(self.terminal, b"\x03\nexit\n")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


class ShellTest(ProgramTest):
    lines = [
        ("headlight diagn\t", ["diagnose"]),
        ("headlight render --lec\t mask\t", ["render", "--lecture", "masks"]),
        ("headlight render --set sizes.head\t4", ["render", "--set", "sizes.heads=4"]),
        ("headlight render --set task.name=prev\t", ["render", "--set", "task.name=previous"]),
        ("headlight render --set mask.kinds=\\[\\\"ca\t", ["render", "--set", 'mask.kinds=["causal"]']),
        ("headlight render --set 'mask.kinds=[\"ca\t", ["render", "--set", 'mask.kinds=["causal"]']),
        ("headlight render --show weights.ra\tmin\t", ["render", "--show", "weights.range=min_max"]),
        ("headlight render --tensor dot\t", ["render", "--tensor", "dot_products"]),
        ("headlight render --view pip\t", ["render", "--view", "pipeline"]),
        ("headlight --setup so\t", ["--setup", "some.toml"]),
        ("headlight --setup=so\t", ["--setup=some.toml"]),
        ("headlight --setup 'a na\t", ["--setup", "a name.toml"]),
        ("headlight so\t", ["some.toml"]),
    ]

    def complete_lines(self, arguments, setting_up):
        self.write("some.toml", "version = 1\n")
        self.write("a name.toml", "version = 1\n")
        shell = Shell(arguments, setting_up, self.folder)
        self.addCleanup(shell.close)
        for typed, words in self.lines:
            with self.subTest(typed):
                self.assertEqual(shell.arguments_after(typed), words)


class Bash(ShellTest):
    def test_completes(self):
        self.complete_lines(["bash", "--norc", "--noprofile", "-i"],
                            ["bind 'set enable-bracketed-paste off'", Shell.function, f"source {quoted('headlight.bash')}"])


class Zsh(ShellTest):
    def test_completes(self):
        self.complete_lines(["zsh", "-f", "-i"],
                            ["unset zle_bracketed_paste; setopt nopromptsp", Shell.function,
                             f"fpath=({quoted()} $fpath); autoload -Uz compinit; compinit -u -D"])


class Fish(ProgramTest):
    """fish says by itself what it would offer."""

    def test_completes(self):
        self.write("some.toml", "version = 1\n")
        for typed, offered in [("headlight diagn", ["diagnose"]), ("headlight render --set sizes.head", ["sizes.heads="]),
                               ("headlight render --lecture mas", ["masks"]), ("headlight --setup so", ["some.toml"]),
                               ("headlight render --set 'mask.kinds=[\\\"ca", ['mask.kinds=["causal"]'])]:
            line = f'source {quoted("headlight.fish")}; complete -C "{typed}"'
            said = subprocess.run(["fish", "--no-config", "-c", line], cwd=self.folder, capture_output=True, timeout=60,
                                  env={"PATH": f"{HEADLIGHT.parent}:{os.environ['PATH']}", "HOME": str(self.folder)})
            with self.subTest(typed):
                self.assertEqual([row.split("\t")[0] for row in said.stdout.decode().splitlines()], offered, said.stderr)


if __name__ == "__main__":
    unittest.main()
