"""The check of timeouts finds tests without one."""

import unittest

import timeouts


def listing(*properties):
    return {"tests": [{"name": "one", "properties": [{"name": name, "value": value} for name, value in properties]}]}


class Timeouts(unittest.TestCase):
    def test_a_timeout_passes(self):
        self.assertEqual(list(timeouts.without_timeout(listing(("LABELS", ["core"]), ("TIMEOUT", 60.0)))), [])

    def test_none_is_an_offence(self):
        self.assertEqual(list(timeouts.without_timeout(listing(("LABELS", ["core"])))), ["one"])
        self.assertEqual(list(timeouts.without_timeout({"tests": [{"name": "one"}]})), ["one"])

    def test_nought_means_for_ever(self):
        self.assertEqual(list(timeouts.without_timeout(listing(("TIMEOUT", 0.0)))), ["one"])


if __name__ == "__main__":
    unittest.main()
