"""Full disks, read-only folders and Ctrl+C while writing: old files stay as they were, and no new one is left."""

import os
import resource
import signal
import subprocess
import time
import unittest

from program import BAD_INPUT, DONE, HEADLIGHT, ArgumentsTest

NOBODY = 65534

# A command for each way of writing, and the name of the file that it writes.
COMMANDS = (
    ("export", "f.npz"),
    ("export --tensor weights", "f.npy"),
    ("export --tensor weights", "f.csv"),
    ("export --tensor weights[0,0]", "f.tex"),
    ("export", "f.toml"),
    ("export --as lecture", "f.md"),
    ("export --as numpy", "f.py"),
    ("render --size 640x480", "f.png"),
)


class FailingDisk(ArgumentsTest):
    def each(self):
        for command, name in COMMANDS:
            with self.subTest(command=command, name=name):
                self.write(name, "old")
                yield command.split() + ["--setup", "good.toml"], name
                (self.folder / name).unlink()

    def assert_refused(self, ended, name, before):
        self.assertEqual(ended.returncode, BAD_INPUT, ended.stderr)
        self.assertIn(name, ended.stderr.decode())
        self.assertIn("cannot write", ended.stderr.decode())
        self.assertEqual(self.files(), before)

    def test_no_room(self):
        """A limit on the file size simulates a disk that fills up halfway."""

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

        for arguments, name in self.each():
            before = self.files()
            ended = self.start(*arguments, "-o", name, preexec_fn=little_room)
            self.assert_refused(ended, name, before)

    def test_a_full_device(self):
        for command, name in COMMANDS:
            if name.endswith((".npz", ".npy")):
                continue
            with self.subTest(command):
                said = self.complain(*command.split(), "--setup", "good.toml", "-o", self.device(name))
                self.assert_in_order(said[0], "cannot write", "space")

    def device(self, name):
        """Links /dev/full to a name with the right ending; returns the name."""
        (self.folder / name).symlink_to("/dev/full")
        return name

    def test_a_closed_folder(self):
        """Writes into a read-only folder. Root could do that, so as root the program runs as the user nobody."""
        someone = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        program = self.program_for_everybody()
        for arguments, name in self.each():
            (self.folder / name).chmod(0o666)
            before = self.files()
            self.folder.chmod(0o555)
            ended = self.start(*arguments, "-o", name, program=program, **someone)
            self.folder.chmod(0o755)
            self.assert_refused(ended, name, before)

    def test_ended_from_outside(self):
        """Stops the program while it writes: the new file has no name yet, so nothing of it is left."""
        large = "--set sizes.query_length=700 --set sizes.batch=1 --set mask.kinds=[] --set tokens=[]".split()
        for name in ("f.csv", "f.npy", "f.npz"):
            for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with self.subTest(name=name, signal=end):
                    self.write(name, "old")
                    before = self.files()
                    part = [] if name == "f.npz" else ["--tensor", "weights"]
                    program = subprocess.Popen(
                        [HEADLIGHT, "export", "--setup", "good.toml", *large, *part, "-o", name],
                        cwd=self.folder, stderr=subprocess.DEVNULL,
                    )
                    self.wait_until_it_writes(program)
                    program.send_signal(end)
                    # Binary files may be done before the signal comes; text takes long enough to be interrupted.
                    self.assertIn(program.wait(), (-end,) if name == "f.csv" else (-end, DONE))
                    if program.returncode == DONE:
                        self.assertEqual(list(self.files()), list(before))
                    else:
                        self.assertEqual(self.files(), before)
                    (self.folder / name).unlink()

    def wait_until_it_writes(self, program):
        """Waits until the program has a file in the folder open, or has ended."""
        inside = str(self.folder.resolve()) + "/"
        while program.poll() is None:
            try:
                links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{program.pid}/fd")]
            except FileNotFoundError:
                continue
            if any(link.startswith(inside) and not link.endswith("good.toml") for link in links):
                return
            time.sleep(0.001)


if __name__ == "__main__":
    unittest.main()
