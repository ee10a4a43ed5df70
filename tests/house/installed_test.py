"""What an installed Headlight brings, and whether the desktop's own programs find it right.

    installed_test.py BUILD CMAKE
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).parents[2]
BUILD, CMAKE = sys.argv.pop(1), sys.argv.pop(1)
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def lines_of(path, label):
    return re.findall(rf"(?m)^{label} (\S+)$", path.read_text())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="headlight-test-")
        cls.prefix = pathlib.Path(cls.temporary.name)
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True, timeout=300)
        cls.share = cls.prefix / "share"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def validate(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_entry_in_the_menu(self):
        entry = self.share / "applications/headlight.desktop"
        self.assertEqual(self.validate("desktop-file-validate", entry), "")
        self.assertIn("\nExec=headlight %f\n", entry.read_text())

    def test_what_software_shops_show(self):
        (component,) = (self.share / "metainfo").iterdir()
        # Its mere hints are left out: Debian 12 does not know `developer` yet, and Debian 13 wants it.
        self.validate("appstreamcli", "validate", "--no-net", component)
        text = component.read_text()
        self.assertIn(f'<release version="{self.version()}"', text)
        pictures = re.findall(r"/screenshots/(\S+?)</image>", text)
        self.assertGreaterEqual(len(pictures), 3)
        for picture in pictures:
            self.assertTrue((TOP / "assets/screenshots" / picture).exists(), picture)

    def test_the_types_of_its_files(self):
        (self.share / "mime").mkdir(exist_ok=True)
        self.validate("update-mime-database", self.share / "mime")
        types = dict(line.split(":")[2:0:-1] for line in (self.share / "mime/globs2").read_text().splitlines()
                     if not line.startswith("#"))
        self.assertEqual(types, {"*.headlight.toml": "application/vnd.headlight.setup+toml",
                                 "*.headlight.md": "text/vnd.headlight.lecture",
                                 "*.headlight.json": "application/vnd.headlight.model+json"})
        entry = (self.share / "applications/headlight.desktop").read_text()
        opened = re.search(r"(?m)^MimeType=(.*);$", entry)[1].split(";")
        self.assertEqual(sorted(opened), sorted(types.values()))

    def test_icons_in_every_size(self):
        icons = self.share / "icons/hicolor"
        for size in SIZES:
            data = (icons / f"{size}x{size}/apps/headlight.png").read_bytes()
            self.assertEqual((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")), (size, size))
        self.assertTrue((icons / "scalable/apps/headlight.svg").exists())
        self.assertTrue((icons / "symbolic/apps/headlight-symbolic.svg").exists())

    def test_manual_pages_and_completion(self):
        pages = {path.name for path in (self.share / "man/man1").iterdir()}
        said = subprocess.run([self.prefix / "bin/headlight", "--help"], capture_output=True, text=True, timeout=60).stdout
        commands = re.findall(r"(?m)^  ([a-z]+) ", said.partition("Subcommands:")[2].partition("\n\n")[0])
        self.assertEqual(pages, {"headlight.1", *(f"headlight-{command}.1" for command in commands)})
        for script in ("bash-completion/completions/headlight", "zsh/site-functions/_headlight",
                       "fish/vendor_completions.d/headlight.fish"):
            self.assertTrue((self.share / script).exists(), script)

    def test_debian_builds_it_from_the_same_list_of_packages(self):
        listed = {name for name in lines_of(TOP / ".ci/packages.txt", "run") if re.match(r"lib.*-dev$|.*-dev$|fonts-", name)}
        control = (TOP / "debian/control").read_text()
        named = set(re.findall(r"[a-z0-9.+-]+", control.partition("Build-Depends:")[2].partition("\nStandards")[0]))
        self.assertLessEqual(listed - {"doctest-dev", "libbenchmark-dev"}, named)

    def test_the_version_is_in_one_place(self):
        self.assertIn(f"\n## {self.version()}\n", (TOP / "CHANGELOG.md").read_text())
        self.assertFalse((TOP / "debian/changelog").exists(), "./package writes it")

    @staticmethod
    def version():
        return re.search(r"(?m)^project\(Headlight VERSION (\S+)", (TOP / "CMakeLists.txt").read_text())[1]


if __name__ == "__main__":
    unittest.main()
