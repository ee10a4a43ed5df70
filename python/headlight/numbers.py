"""NumPy, imported when it is first needed: a lecture or a setup is shown without it."""
import importlib


class _NumPy:
    def __getattr__(self, name):
        try:
            return getattr(importlib.import_module("numpy"), name)
        except ImportError:
            raise RuntimeError("arrays need NumPy, which isn't here: python3 -m pip install numpy") from None


np = _NumPy()
