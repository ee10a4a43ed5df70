"""The program on a machine that is short of resources: threads cannot start, or memory runs out."""

import os
import resource
import unittest

import numpy as np

from program import DONE, MACHINE_CANNOT, SETUP, ProgramTest

MEGABYTE = 1 << 20
NOBODY = 65534
# OpenBLAS starts its own threads before main(), and ends the program or tries for ever if it cannot: it gets one thread.
MANY = {"OMP_NUM_THREADS": "256", "OPENBLAS_NUM_THREADS": "1"}
# A setup with enough work to use every thread.
LARGER = [item for size in ("batch=2", "query_length=256", "d_model=64", "heads=4") for item in ("--set", f"sizes.{size}")]
LARGER += ["--set", "mask.valid_lengths=[250, 200]", "--set", "tokens=[]"]


def address_space(megabytes):
    """Limits the address space. 256 threads need 2 GB for their stacks alone, and a buffer each when they multiply."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)


def no_thread():
    """Lets no thread start. The limit on processes counts threads, but not those of root, so root becomes nobody."""
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


class FewThreads(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("good.toml", SETUP)
        self.folder.chmod(0o777)
        self.compute("one.npz", environment={"OMP_NUM_THREADS": "1"})

    def compute(self, name, **options):
        self.succeed("compute", "--setup", "good.toml", *LARGER, "-o", name, **options)

    def assert_same_numbers(self, name):
        with np.load(self.folder / "one.npz") as one, np.load(self.folder / name) as other:
            self.assertEqual(one.files, other.files)
            for tensor in one.files:
                self.assertEqual(one[tensor].tobytes(), other[tensor].tobytes(), tensor)

    def test_where_no_other_thread_can_start_the_numbers_are_the_same(self):
        self.compute("alone.npz", environment=MANY, preexec_fn=no_thread, program=self.program_for_everybody())
        self.assert_same_numbers("alone.npz")

    def test_address_space_that_runs_out_is_said_in_words(self):
        """Whenever memory runs out, the program ends with the right numbers or with a sentence about memory."""
        for megabytes in (500, 700, 1000, 1500, 2000):
            with self.subTest(megabytes=megabytes):
                ended = self.start(
                    "compute", "--setup", "good.toml", *LARGER, "-o", "short.npz",
                    environment=MANY, preexec_fn=address_space(megabytes),
                )
                said = ended.stderr.decode()
                self.assertIn(ended.returncode, (DONE, MACHINE_CANNOT), said)
                if ended.returncode == DONE:
                    self.assert_same_numbers("short.npz")
                else:
                    self.assertIn("enough free memory", said)


if __name__ == "__main__":
    unittest.main()
