"""The check of timeouts finds tests without one, and tests that may be skipped."""


import unittest

import timeouts


def listing(*properties):
    return {"tests": [{"name": "one", "properties": [{"name": name, "value": value} for name, value in properties]}]}


class Timeouts(unittest.TestCase):
    def offences(self, *properties):
        return list(timeouts.offences(listing(*properties)))

    def test_a_timeout_passes(self):
        self.assertEqual(self.offences(("LABELS", ["core"]), ("TIMEOUT", 60.0)), [])

    def test_none_is_an_offence(self):
        self.assertEqual(self.offences(("LABELS", ["core"])), ["one: no timeout"])
        self.assertEqual(list(timeouts.offences({"tests": [{"name": "one"}]})), ["one: no timeout"])

    def test_nought_means_for_ever(self):
        self.assertEqual(self.offences(("TIMEOUT", 0.0)), ["one: no timeout"])

    def test_none_may_be_skipped(self):
        (offence,) = self.offences(("TIMEOUT", 60.0), ("SKIP_RETURN_CODE", 77))
        self.assertIn("SKIP_RETURN_CODE", offence)

    def test_no_class_with_tests_is_forgotten(self):
        file = "class Base(T):\n    def helper(self): pass\n\nclass Cells(Base):\n    def test_one(self): pass\n"
        tests = {"tests": [{"name": "cli: Cells"}]}
        self.assertEqual(list(timeouts.forgotten(tests, {"a_test.py": file})), [])
        (offence,) = timeouts.forgotten({"tests": []}, {"a_test.py": file})
        self.assertIn("no test runs Cells", offence)


if __name__ == "__main__":
    unittest.main()
