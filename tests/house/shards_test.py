"""The shards of a test program have all its cases, each once.

shards_test.py PROGRAM
"""

import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([PROGRAM, "--no-colors=true", *arguments], capture_output=True, text=True, timeout=300)


def names(*arguments):
    lines = run("--list-test-cases", *arguments).stdout.splitlines()
    return [line for line in lines if not line.startswith(("[doctest]", "====="))]


class Shards(unittest.TestCase):
    def test_every_case_is_in_one_shard(self):
        every = names()
        self.assertGreater(len(every), 10)
        for count in (1, 2, 5):
            shards = [names(f"--shard={shard}/{count}") for shard in range(1, count + 1)]
            self.assertEqual([name for shard in shards for name in shard], every)
            self.assertTrue(all(shards), "a shard has no case")

    def test_a_shard_without_a_case_fails(self):
        self.assertEqual(run("--shard=3/2").returncode, 1)
        self.assertEqual(run("--shard=1/1000000").returncode, 1)

    def test_a_shard_runs_what_it_lists(self):
        last = names()[-1]
        ran = run("--shard=5/5", "--success=true")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn(last, ran.stdout)
        self.assertNotIn(names()[0], ran.stdout)


if __name__ == "__main__":
    unittest.main()
