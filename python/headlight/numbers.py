"""NumPy, imported when it is first needed, as a lecture or a setup is shown without it; and arrays of whatever is one."""
import importlib


class _NumPy:
    def __getattr__(self, name):
        try:
            return getattr(importlib.import_module("numpy"), name)
        except ImportError:
            raise RuntimeError("arrays need NumPy, which isn't here: python3 -m pip install numpy") from None


np = _NumPy()


def as_array(value, name="it"):
    """A NumPy array, from wherever and in whatever precision it is."""
    if isinstance(value, (list, tuple)) and any(hasattr(each, "detach") for each in value):
        value = np.stack([as_array(each, name) for each in value])
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
        value = value.to_dense() if value.is_sparse else value
        value = (value.float() if str(value.dtype) in ("torch.float16", "torch.bfloat16") else value).numpy()
    elif hasattr(value, "numpy") and not isinstance(value, np.ndarray):  # TensorFlow, Keras
        value = value.numpy()
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths, and is no array") from None
    if array.dtype == np.float16 or array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise ValueError(f"{name} is a {type(value).__name__} of {array.dtype}, and no array of numbers")
    return array


def whole(value, name, example):
    """A whole number above 0, as people count."""
    try:
        number = int(value)
        if number == value and number > 0:
            return number
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name}={value!r}: write a whole number, as {name}={example}")


def require_finite(array, name):
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        cell = tuple(np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{', '.join(map(str, cell))}] is {array[cell]}, and only finite numbers can be shown")
