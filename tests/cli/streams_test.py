"""Standard streams that are full, closed or pipes, and paths that lead nowhere or to somebody else's files."""

import io
import json
import os
import shutil
import subprocess
import unittest
import zipfile

import numpy as np

from layers_test import layer, safetensors
from program import BAD_INPUT, CHECK_FAILED, DONE, HEADLIGHT, SETUP, ProgramTest

NOBODY = 65534
# Its second batch item has no real token, so that `compute` has something to say beside its result.
BLIND = SETUP.replace("valid_lengths = [3, 2]", "valid_lengths = [3, 0]")


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


class StreamsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("good.toml", SETUP)
        self.write("blind.toml", BLIND)

    def shell(self, script, *arguments, shell="sh", **options):
        """Runs a script of the shell in which "$@" is the program with its arguments."""
        return subprocess.run([shell, "-c", script, shell, HEADLIGHT, *map(str, arguments)], cwd=self.folder,
                              capture_output=True, timeout=120, **options)


class Streams(StreamsTest):
    PRINTING = ("lectures", "keys", "check bank", "explain --setup good.toml --cell weights[0,0,0,0]",
                "explain --setup good.toml --cell weights[0,0,0,0] --json", "capture", "manual", "manual compute", "--help",
                "compute --help", "--version", "complete comp", "diagnose --setup good.toml trace.npz",
                "diagnose --setup good.toml trace.npz --json", "layers model.npz --heads 2", "layers model.npz --heads 2 --layer 0",
                "script --setup good.toml --framework numpy", "export --setup good.toml --as setup",
                "export --setup good.toml --tensor weights --as csv", "export --setup good.toml --as link",
                "train --lecture learning --steps 1")

    def test_output_that_nobody_takes(self):
        self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
        self.write("model.npz", npz(W_q=np.ones((4, 4)), W_k=np.ones((4, 4)), W_v=np.ones((4, 4)), W_o=np.ones((4, 4))))
        for command in self.PRINTING:
            for script, reason in (('exec "$@" >/dev/full', "No space left on device"), ('exec "$@" >&-', "Bad file descriptor")):
                with self.subTest(command=command, script=script):
                    ended = self.shell(script, *command.split())
                    lines = ended.stderr.decode().splitlines()
                    self.assertEqual(ended.returncode, BAD_INPUT, lines)
                    self.assertEqual(len(lines), 1, lines)
                    self.assert_in_order(lines[0], "headlight: standard output", "cannot write", reason)

    def test_output_to_the_path_of_a_stream(self):
        for command in ("train --lecture learning --steps 1", "capture", "script --setup good.toml --framework numpy",
                        "export --setup good.toml --as setup", "export --setup good.toml --as csv --tensor X"):
            for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                for script, code in (('exec "$@"', DONE), ('exec "$@" >/dev/full', BAD_INPUT), ('exec "$@" >&-', BAD_INPUT)):
                    with self.subTest(command=command, path=path, script=script):
                        ended = self.shell(script, *command.split(), "-o", path)
                        lines = ended.stderr.decode().splitlines()
                        self.assertEqual((ended.returncode, len(lines)), (code, 1 if code else 0), lines)
                        if code:
                            self.assert_in_order(lines[0], "headlight: " + path, "cannot write")

    def test_the_path_of_a_stream_is_written_like_the_stream(self):
        """Nothing takes the place of what stands there: a log goes on, and a link stays a link."""
        script = ["script", "--framework", "numpy", "--setup", "good.toml", "-o"]
        self.succeed(*script, "real.py")
        text = (self.folder / "real.py").read_text()
        (self.folder / "link.py").symlink_to("/proc/self/fd/1")
        (self.folder / "longer.py").symlink_to("link.py")
        for path in ("/dev/stdout", "link.py", "longer.py"):
            with self.subTest(path=path):
                self.write("log", "before\n")
                self.assertEqual(self.shell('"$@" >>log; echo after >>log', *script, path).returncode, DONE)
                self.assertEqual((self.folder / "log").read_text(), "before\n" + text + "after\n")
                self.assertEqual(self.shell('{ echo before; "$@"; echo after; } >log', *script, path).returncode, DONE)
                self.assertEqual((self.folder / "log").read_text(), "before\n" + text + "after\n")
                if path == "/dev/stdout":
                    continue  # a program that fails this would replace it for the whole machine
                ended = self.shell('exec 3>gone 4<gone; rm gone; "$@" >&3; cat <&4', *script, path)
                self.assertEqual((ended.returncode, ended.stdout.decode()), (DONE, text), ended.stderr)
        ended = self.shell('{ printf before; "$@"; } >log', "compute", "--setup", "good.toml", "-o", "link.py")
        self.assertEqual(ended.returncode, DONE)
        self.assertTrue((self.folder / "log").read_bytes().startswith(b"beforePK"))
        self.assertIsNone(zipfile.ZipFile(self.folder / "log").testzip())
        ended = self.shell('"$@" >>log', "compute", "--setup", "good.toml", "-o", "/dev/stdout")
        self.assertEqual(ended.returncode, BAD_INPUT)
        self.assert_in_order(ended.stderr.decode(), "/dev/stdout", "cannot write", "Illegal seek")
        for link in ("link.py", "longer.py"):
            self.assertTrue((self.folder / link).is_symlink())

    def test_a_link_to_a_file_that_is_not_there_yet(self):
        (self.folder / "link.py").symlink_to("new.py")
        self.succeed("script", "--framework", "numpy", "--setup", "good.toml", "-o", "link.py")
        self.assertTrue((self.folder / "link.py").is_symlink())
        self.assertIn("numpy", (self.folder / "new.py").read_text())

    def test_words_that_nobody_reads(self):
        """Nothing that is said beside a result changes it, or gets into a file that was opened in the stream's place."""
        self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
        said = self.start("compute", "--setup", "blind.toml", "-o", "said.npz")
        self.assertIn(b"see no key", said.stderr)
        self.write("large.toml", SETUP.replace("temperature = 1.0", "scale = 1e308"))
        self.assertIn(b"not finite", self.start("compute", "--setup", "large.toml", "-o", "new.npz").stderr)
        commands = (("compute --setup blind.toml -o new.npz", DONE), ("compute --setup large.toml -o new.npz", DONE), ("compute --setup none.toml -o new.npz", BAD_INPUT),
                    ("diagnose --setup good.toml trace.npz", DONE), ("diagnose --setup blind.toml trace.npz", CHECK_FAILED),
                    ("export --setup good.toml --progress -o new.toml", DONE), ("nonsense", BAD_INPUT), ("--help", DONE),
                    ("render --setup good.toml --size 640x480 --progress -o new.png", DONE))
        for command, code in commands:
            plain = self.shell('exec "$@"', *command.split())
            kept = self.files()
            for script in ('exec "$@" 2>/dev/full', 'exec "$@" 2>&-', 'exec "$@" 2>&- <&-'):
                with self.subTest(command=command, script=script):
                    ended = self.shell(script, *command.split())
                    self.assertEqual((ended.returncode, plain.returncode), (code, code))
                    self.assertEqual(ended.stdout, plain.stdout)
                    self.assertEqual(self.files(), kept)
        with self.subTest("none at all"):
            ended = self.shell('exec "$@" <&- >&- 2>&-', "compute", "--setup", "blind.toml", "-o", "again.npz")
            self.assertEqual(ended.returncode, DONE)
            self.assertEqual((self.folder / "again.npz").read_bytes(), (self.folder / "said.npz").read_bytes())


class Pipes(StreamsTest):
    def piped(self, content, *arguments, code=DONE):
        """What the program prints when this comes through a pipe."""
        ended = subprocess.run([HEADLIGHT, *map(str, arguments)], cwd=self.folder, input=content, capture_output=True, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr.decode()), (code, ""), arguments)
        return ended.stdout

    def test_a_setup(self):
        for command in ("explain --cell weights[0,0,0,0] --setup", "script --framework numpy --setup", "export --as setup --setup",
                        "export --as lecture --setup", "export --as link --setup", "export --tensor weights --as csv --setup",
                        "diagnose trace.npz --setup"):
            with self.subTest(command):
                self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
                self.assertEqual(self.piped(SETUP.encode(), *command.split(), "/dev/stdin").decode(),
                                 self.succeed(*command.split(), "good.toml"))
        for name in ("trace.npz", "picture.png"):
            command = ["compute"] if name.endswith("z") else ["render", "--size", "640x480"]
            self.succeed(*command, "--setup", "good.toml", "-o", "own-" + name)
            self.piped(SETUP.encode(), *command, "--setup", "/dev/stdin", "-o", name)
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / ("own-" + name)).read_bytes())

    def test_a_picture(self):
        self.succeed("render", "--lecture", "bank", "--step", 2, "--size", "640x480", "-o", "bank.png")
        picture = (self.folder / "bank.png").read_bytes()
        for command in ("export --as setup", "export --as link"):
            self.assertEqual(self.piped(picture, *command.split(), "--setup", "/dev/stdin").decode(),
                             self.succeed(*command.split(), "--setup", "bank.png"))

    def test_a_lecture(self):
        lecture = self.succeed("export", "--setup", "good.toml", "--as", "lecture")
        self.assertIn(b"stdin ", self.piped(lecture.encode(), "lectures", "--lectures", "/dev/stdin"))
        self.piped(lecture.encode(), "check", "stdin", "--lectures", "/dev/stdin")
        self.piped(lecture.encode(), "compute", "--lecture", "stdin", "--lectures", "/dev/stdin", "-o", "trace.npz")
        self.succeed("compute", "--setup", "good.toml", "-o", "own.npz")
        self.assertEqual((self.folder / "trace.npz").read_bytes(), (self.folder / "own.npz").read_bytes())

    def test_arrays(self):
        self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
        trace = dict(np.load(self.folder / "trace.npz"))
        single = io.BytesIO()
        np.save(single, trace["output"])
        printed = {"output_type": "stream", "name": "stdout", "text": str(trace["output"])}
        notebook = {"nbformat": 4, "cells": [{"cell_type": "code", "source": "output", "outputs": [printed]}]}
        contents = {"npz": (self.folder / "trace.npz").read_bytes(), "npy": single.getvalue(),
                    "text": repr(trace["output"]).encode(), "notebook": json.dumps(notebook).encode(),
                    "dict": ("{'output': " + repr(trace["output"]) + "}").encode()}
        for kind, content in contents.items():
            with self.subTest(kind):
                report = json.loads(self.piped(content, "diagnose", "--setup", "good.toml", "/dev/stdin", "--json"))
                self.assertTrue(report["agrees"])
                self.piped(content, "render", "--setup", "good.toml", "--view", "compare", "--check", "/dev/stdin", "--size",
                           "640x480", "-o", kind + ".png")
        (self.folder / "own.npy").write_bytes(contents["npy"])
        ended = self.shell('"$@" <(cat own.npy)', "diagnose", "--setup", "good.toml", shell="bash")
        self.assertEqual((ended.returncode, ended.stderr), (DONE, b""))

    def test_a_model(self):
        model = layer("layers.0.self_attn")
        for name, content in (("model.safetensors", safetensors(model)), ("model.npz", npz(**model))):
            with self.subTest(name):
                self.write(name, content)
                heads = ("--heads", 2)
                self.assertEqual(self.piped(content, "layers", "/dev/stdin", *heads).decode(), self.succeed("layers", name, *heads))
                setup = self.piped(content, "layers", "/dev/stdin", *heads, "--layer", 0).decode()
                self.assertNotIn("/dev/stdin", setup.split("[values]")[1])
                self.write("piped.toml", setup)
                self.succeed("layers", name, *heads, "--layer", 0, "-o", "own.toml")
                for setup in ("piped", "own"):
                    self.succeed("compute", "--setup", setup + ".toml", "-o", setup + ".npz")
                self.assertEqual((self.folder / "piped.npz").read_bytes(), (self.folder / "own.npz").read_bytes())

    def test_more_than_fits(self):
        ended = self.shell('yes | "$@"', "explain", "--setup", "/dev/stdin", "--cell", "weights[0,0,0,0]")
        self.assertEqual(ended.returncode, BAD_INPUT)
        self.assert_in_order(ended.stderr.decode(), "/dev/stdin", "more than 16.0 MiB", "up to")

    def test_a_named_pipe_keeps_nobody_waiting(self):
        os.mkfifo(self.folder / "pipe")
        for name in ("pipe.toml", "pipe.png", "pipe.npz", "pipe.safetensors", "pipe.md"):
            os.symlink("pipe", self.folder / name)
        for command in ("compute -o new.npz --setup pipe", "compute -o new.npz --setup pipe.toml", "compute -o new.npz --setup pipe.png",
                        "compute -o new.npz --model pipe.npz", "layers pipe", "layers pipe.npz", "layers pipe.safetensors",
                        "diagnose --setup good.toml pipe", "diagnose --setup good.toml pipe.npz", "lectures --lectures pipe",
                        "lectures --lectures pipe.md", "check bank --lectures pipe", "compute -o new.npz --lecture bank --lectures pipe", "render --setup good.toml --view compare -o new.png --check pipe", "run-export pipe -o x",
                        "export --setup good.toml --as setup -o pipe", "train --lecture learning --steps 1 -o pipe"):
            with self.subTest(command):
                lines = self.complain(*command.split())
                self.assert_in_order(lines[-1], "pipe", "a named pipe")

    def test_a_file_that_never_ends_keeps_nobody_waiting(self):
        """Of the kernel's own files some wait for more. Who may not read them is told so."""
        for path in ("/proc/kmsg", "/sys/kernel/tracing/trace_pipe"):
            for command in ("explain --cell weights[0,0,0,0] --setup", "layers", "diagnose --setup good.toml", "lectures --lectures"):
                with self.subTest(path=path, command=command):
                    self.assertEqual(len(self.complain(*command.split(), path)), 1)

    def test_a_font_that_has_become_a_pipe(self):
        """The system's fonts are opened as all files are, so that none keeps the program waiting."""
        fonts = self.folder / "fonts"
        fonts.mkdir()
        font = fonts / "font.ttf"
        shutil.copy("/usr/share/fonts/truetype/lohit-devanagari/Lohit-Devanagari.ttf", font)
        self.write("fonts.conf", f"<fontconfig><dir>{fonts}</dir><cachedir>{self.folder}/cache</cachedir></fontconfig>")
        self.write("letter.toml", SETUP.replace('"cat"', '"\u0926"'))
        drawn = ["render", "--setup", "letter.toml", "--view", "tokens", "--size", "640x480", "-o"]
        known = {"environment": {"FONTCONFIG_FILE": str(self.folder / "fonts.conf")}}
        self.assertEqual(self.start(*drawn, "letter.png", **known).returncode, DONE)
        before = fonts.stat()
        font.unlink()
        os.mkfifo(font)
        os.utime(fonts, ns=(before.st_atime_ns, before.st_mtime_ns))  # else fontconfig looks at its files again
        self.assertEqual(self.start(*drawn, "sign.png", **known).returncode, DONE)
        self.assertTrue((self.folder / "letter.png").read_bytes() != (self.folder / "sign.png").read_bytes())


class Paths(StreamsTest):
    """Each path that a command takes, where it leads to what can't be opened."""

    READING = ("compute -o new.npz --setup {}", "explain --cell weights[0,0,0,0] --setup {}", "compute -o new.npz --model {}",
               "layers {}", "diagnose --setup good.toml {}", "lectures --lectures {}", "check --lectures {}", "{}",
               "render --setup good.toml --view compare -o new.png --check {}", "export --as page -o new.html --lecture bank --lectures {}",
               "handout --setup {} -o new.html")
    WRITING = ("compute --setup good.toml -o {}", "export --setup good.toml --as csv --tensor weights -o {}",
               "export --setup good.toml --as setup -o {}", "render --setup good.toml --size 640x480 -o {}.png",
               "capture -o {}", "script --setup good.toml --framework torch -o {}", "handout --lecture bank -o {}.html",
               "train --lecture learning --steps 1 -o {}", "manual -o {}")

    def refuse(self, commands, path, *words, **options):
        for command in commands:
            with self.subTest(command):
                lines = self.complain(*command.format(path).split(), **options)
                self.assertEqual(len(lines), 1, lines)
                self.assertNotIn("internal error", lines[0])
                self.assert_in_order(lines[0], *words)

    def test_a_name_that_is_too_long(self):
        for ending in ("", ".toml", ".png", ".npz", ".safetensors", ".md", "/inside.npz"):
            name = "n" * 300 + ending
            self.refuse(self.READING, name, "nnn", "File name too long")
        self.refuse(self.WRITING, "n" * 300, "nnn", "File name too long")

    def test_a_link_that_leads_to_itself(self):
        for ending in ("", ".toml", ".png", ".npz", ".html"):
            (self.folder / ("loop" + ending)).symlink_to("loop" + ending)
        for path in ("loop", "loop.toml", "loop.png", "loop.npz", "loop/inside.npz"):
            self.refuse(self.READING, path, "loop", "Too many levels of symbolic links")
        self.refuse(self.WRITING[:-1], "loop", "loop", "Too many levels of symbolic links")
        self.refuse(self.WRITING[-1:], "loop", "loop", "found")

    def test_somebody_elses_folder(self):
        """Root may enter every folder, so as root the program runs as the user nobody."""
        someone = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        program = self.program_for_everybody()
        (self.folder / "closed/inside").mkdir(parents=True)
        for name in ("closed/f", "closed/f.toml", "closed/f.npz"):
            self.write(name, SETUP)
        self.folder.chmod(0o755)
        for path in ("closed/f", "closed/f.toml", "closed/f.npz", "closed/inside", "closed/missing.npz", "closed"):
            (self.folder / "closed").chmod(0)
            try:
                self.refuse_closed(path, program, someone)
            finally:
                (self.folder / "closed").chmod(0o755)

    def refuse_closed(self, path, program, someone):
        writes = path.startswith("closed/f")
        for command in [*self.READING, *(self.WRITING if writes else ())]:
            if command == "{}" and path == "closed":
                continue  # there is something, so the window opens, and says there what is wrong
            with self.subTest(command=command, path=path):
                ended = self.start(*command.format(path).split(), program=program, **someone)
                lines = ended.stderr.decode().splitlines()
                self.assertEqual((ended.returncode, len(lines)), (BAD_INPUT, 1), lines)
                self.assert_in_order(lines[0], "closed", "Permission denied")

    def test_a_home_that_is_a_file(self):
        environment = {name: str(self.write(name, "")) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
        self.succeed("explain", "--setup", "good.toml", "--cell", "weights[0,0,0,0]", environment=environment)
        ended = self.start("render", "--lecture", "bank", "--size", "640x480", "-o", "new.png", environment=environment)
        self.assertEqual(ended.returncode, DONE, ended.stderr)  # the graphics library says that it keeps nothing

    def test_a_long_list_of_problems_is_cut(self):
        draws = ", ".join(f'"Z{i} uniform"' for i in range(5000))
        self.write("bad.toml", SETUP.replace('"seed 0", ', f'"seed 0", {draws}, '))
        lines = self.complain("compute", "--setup", "bad.toml", "-o", "new.npz")
        self.assertEqual(len(lines), 21)
        self.assertEqual(lines[-1], "headlight: and 4980 more problems")
        self.assertLess(sum(map(len, lines)), 40_000)


class Escaped(StreamsTest):
    """Names from files, where a terminal would obey them."""

    ODD = ("\x1b[31mred", "\x9b2J", "\u202egnp.exe", "a\rb", "\u2066x", "\x7f")

    def assert_shown(self, text):
        for line in text.splitlines():
            for character in line:
                self.assertFalse(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or ord(character) in
                                 (0x202E, 0x2066, 0x061C, 0x2028, 0x2029), repr(line))

    def setUp(self):
        super().setUp()
        escaped = json.dumps(list(self.ODD[:4]))
        self.write("odd.toml", SETUP.replace('["The", "cat", "sat", "down"]', escaped).replace("A small one", "\\u001b[2J\\u009b\\u202e"))

    def test_tokens(self):
        for form in ("csv", "md", "tex"):
            for part in ("weights[0,0]", "weights[0,0,1]"):
                self.assert_shown(self.succeed("export", "--setup", "odd.toml", "--tensor", part, "--as", form))
        self.assert_shown(self.succeed("export", "--setup", "odd.toml", "--tensor", "weights", "--as", "csv"))
        for form in ("setup", "lecture", "numpy", "torch"):
            self.assert_shown(self.succeed("export", "--setup", "odd.toml", "--as", form))
        for json_too in ((), ("--json",)):
            self.assert_shown(self.succeed("explain", "--setup", "odd.toml", "--cell", "weights[0,0,1,0]", *json_too))

    def test_a_setup_means_the_same_when_it_comes_back(self):
        self.write("again.toml", self.succeed("export", "--setup", "odd.toml", "--as", "setup"))
        self.assertEqual(self.succeed("export", "--setup", "again.toml", "--as", "setup"), (self.folder / "again.toml").read_text())
        for name in ("odd", "again"):
            self.succeed("render", "--setup", f"{name}.toml", "--figure", "tokens", "-o", f"{name}.svg")
        self.assertEqual((self.folder / "odd.svg").read_bytes(), (self.folder / "again.svg").read_bytes())

    def test_arrays(self):
        self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
        trace = dict(np.load(self.folder / "trace.npz"))
        for i, name in enumerate(self.ODD):
            self.write(f"mine{i}.npz", npz(**{name: trace["output"], name + "more": np.zeros(3)}))
            for json_too in ((), ("--json",)):
                ended = self.start("diagnose", "--setup", "good.toml", f"mine{i}.npz", *json_too)
                self.assertIn(ended.returncode, (DONE, CHECK_FAILED), ended.stderr)
                self.assertIn("more", ended.stdout.decode())
                self.assert_shown(ended.stdout.decode())
            self.write(f"model{i}.npz", npz(**layer("layers.0." + name)))
            for command in (("layers", f"model{i}.npz", "--heads", 2), ("layers", f"model{i}.npz", "--heads", 2, "--layer", 0)):
                ended = self.start(*command)
                self.assert_shown((ended.stdout + ended.stderr).decode())

    def test_titles_and_paths(self):
        (self.folder / "lectures").mkdir()
        lecture = self.succeed("export", "--setup", "odd.toml", "--as", "lecture")
        self.write("lectures/own.md", lecture)
        self.assert_shown(self.succeed("lectures", "--lectures", "lectures"))
        for name in [*self.ODD, os.fsdecode(b"\x9b2J"), os.fsdecode(b"\xff")]:
            for command in (("compute", "-o", "x.npz", "--setup", name), ("layers", name), ("layers", name + ".npz"),
                            ("diagnose", "--setup", "good.toml", name), (name,), ("lectures", "--lectures", name),
                            ("compute", "--setup", "good.toml", "-o", f"none/{name}"), ("compute", f"--{name}"), ("explain", "--setup", "good.toml", "--cell", name)):
                with self.subTest(command):
                    ended = self.start(*command)
                    self.assertEqual(ended.returncode, BAD_INPUT)
                    self.assert_shown(ended.stderr.decode())


del StreamsTest

if __name__ == "__main__":
    unittest.main()
