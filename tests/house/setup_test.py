"""What ./run and ./test do before they build: packages are installed, and CMake looks again when there are new ones.

setup_test.py TOP: the top folder, whose .ci/prepare.sh runs here with stand-ins for apt-get, dpkg-query, cmake and sudo.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(sys.argv.pop(1))
HELD = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)"
# Each stand-in notes its arguments. `dpkg-query` knows the packages in the file `installed`.
STAND_INS = {
    "dpkg-query": """while [ "$1" != -- ] && [ $# -gt 0 ]; do
  case $1 in -*) ;; *) grep "^installed $1 " installed ;; esac; shift
done; exit 1""",
    "apt-get": """echo "apt-get $*" >>calls
[ "$1" = install ] || exit 0
[ ! -s refusals ] || { head -n 1 refusals >&2; sed -i 1d refusals; exit 100; }
for name; do case $name in -*|install) ;; *) echo "installed $name 1.0" >>installed ;; esac; done""",
    "cmake": """echo "cmake $*" >>calls
[ "$1" != --preset ] || { mkdir -p "build/$2"; : >"build/$2/build.ninja"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"; }""",
    "sleep": 'echo "sleep $1" >>calls',
    "id": "cat user",
}


class SetUp(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="a folder of the test ")))
        (self.folder / ".ci").mkdir()
        shutil.copy(TOP / ".ci/prepare.sh", self.folder / ".ci")
        self.write(".ci/packages.txt", "# a comment\nrun g++\nrun libfmt-dev\n\ntest librsvg2-bin\n")
        for name, text in (("CMakePresets.json", "{}"), ("installed", ""), ("calls", ""), ("refusals", ""), ("user", "0\n")):
            self.write(name, text)
        (self.folder / "bin").mkdir()
        for name, script in STAND_INS.items():
            self.stand_in(name, script)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def stand_in(self, name, script):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_script(self, commands):
        self.write("calls", "")
        done = subprocess.run(["sh", "-euc", f". .ci/prepare.sh\n{commands}"], cwd=self.folder, text=True, capture_output=True,
                              timeout=60, env={"PATH": f"{self.folder}/bin:/usr/bin:/bin"})
        self.assertEqual(done.stdout, "", "stdout belongs to the program that is started")
        return done.returncode, done.stderr

    def calls(self, program):
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if line.startswith(program)]

    def refused(self, *words, user="0\n"):
        """What is said where apt-get install ends with these words, one after the other."""
        self.write("refusals", "".join(f"{word}\n" for word in words))
        self.write("user", user)
        return self.run_script("install_packages run")

    def test_only_what_is_missing_is_installed(self):
        self.write("installed", "installed g++ 12\n")
        self.assertEqual(self.run_script("install_packages run")[0], 0)
        self.assertTrue(self.calls("apt-get install")[0].endswith(" libfmt-dev"), self.calls("apt-get"))
        self.assertEqual(self.run_script("install_packages run"), (0, ""))
        self.assertEqual(self.calls("apt-get"), [])

    def test_cmake_looks_again_when_a_package_came(self):
        build = "install_packages {}; build release headlight"
        self.run_script(build.format("run"))
        self.assertEqual(self.calls("cmake --preset"), ["cmake --preset release --fresh"])
        self.run_script(build.format("run"))
        self.assertEqual(self.calls("cmake --preset"), [])
        self.run_script(build.format("run test"))
        self.assertEqual(self.calls("cmake --preset"), ["cmake --preset release"])

    def test_cmake_looks_again_when_a_package_came_by_other_hands(self):
        self.run_script("install_packages run; build release")
        with (self.folder / "installed").open("a") as installed:
            installed.write("installed librsvg2-bin 2.54\n")
        self.run_script("install_packages run test; build release")
        self.assertEqual(self.calls("apt-get"), [])
        self.assertEqual(self.calls("cmake --preset"), ["cmake --preset release"])
        with (self.folder / "installed").open("a") as installed:
            installed.write("installed clang-19 19\n")  # none of ours
        self.run_script("build release")
        self.assertEqual(self.calls("cmake --preset"), [])

    def test_a_busy_package_manager_is_waited_for(self):
        status, said = self.refused(HELD, HELD, HELD)
        self.assertEqual(status, 0, said)
        self.assertEqual(said.count("Waiting"), 1)
        self.assertIn("process 4711 (unattended-upgr)", said)
        self.assertEqual(len(self.calls("sleep")), 3)

    def test_not_for_ever(self):
        status, said = self.refused(*[HELD] * 1000)
        self.assertEqual(status, 3)
        self.assertEqual(sum(int(call.split()[1]) for call in self.calls("sleep")), 300)
        self.assertIn("Let it finish", said)

    def test_each_failure_says_what_to_do(self):
        for words, advice in (
            ("Err:1 Temporary failure resolving 'a.host'", "Check the network"),
            ("E: Failed to fetch a.deb  Could not connect", "Check the network"),
            ("E: You don't have enough free space in /var/cache/apt/archives/.", "The disk is full"),
            ("dpkg: error: cannot copy: No space left on device", "The disk is full"),
            ("E: Unable to locate package libfmt-dev", "Debian 12 or 13"),
            ("E: dpkg was interrupted, you must manually run 'dpkg --configure -a'", "--configure -a"),
            ("E: something else", "by hand"),
        ):
            with self.subTest(words):
                status, said = self.refused(words)
                self.assertEqual(status, 3)
                self.assertIn(words, said)
                self.assertIn(advice, said.splitlines()[-1])

    def test_a_user_needs_sudo(self):
        self.stand_in("sudo", 'echo "sudo $*" >>calls; "$@"')
        status, said = self.refused(user="1000\n")
        self.assertEqual(status, 0, said)
        self.assertEqual(len(self.calls("sudo env DEBIAN_FRONTEND")), 2)
        self.write("installed", "")
        self.stand_in("sudo", "exit 1")
        status, said = self.refused(user="1000\n")
        self.assertEqual(status, 3)
        self.assertIn("apt-get install --no-install-recommends g++ libfmt-dev", said)

    def test_a_full_disk_while_building_is_named(self):
        self.stand_in("cmake", "exit 1")
        self.write("build.sh", "")
        self.stand_in("df", "printf 'Filesystem\\nx 0 0 20 100%% /\\n'")
        (self.folder / "build/release").mkdir(parents=True)
        self.write("build/release/build.ninja", "")
        self.write("build/release/CMakeCache.txt", f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}\n")
        self.write("build/release/packages", "\n")
        status, said = self.run_script("build release")
        self.assertEqual(status, 3)
        self.assertIn("The disk is full", said)


if __name__ == "__main__":
    unittest.main()
