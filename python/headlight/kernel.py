"""The way back into the kernel of a notebook: what the app in a frame shows, after each change there."""
import contextlib
import json
import pathlib
import re
import sys
import weakref

TARGET = "headlight"  # of the comm that listener.js opens
_listening = weakref.WeakValueDictionary()  # by the names of their frames


def listen(name, shown):
    """Calls shown.told(session) with what the frame of this name says. The script that makes it so, "" where there is no kernel
    of Jupyter."""
    kernel = kernel_id()
    if kernel is None:
        return ""
    comms().register_target(TARGET, opened)
    _listening[name] = shown
    return script_with("listener.js", name, kernel)


def script_with(file, *given):
    """The script of this file, called with these."""
    return f"<script>{script(file)}({', '.join(json.dumps(each) for each in given)})</script>"


def script(name):
    return pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip().rstrip(";")


def comms():
    """The kernel's comms, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(getattr(shell, "kernel", None), "comm_manager", None)


def kernel_id():
    """By which a server of Jupyter knows this kernel: its connection is a file kernel-ID.json."""
    if comms() is None:
        return None
    with contextlib.suppress(Exception):  # a kernel without such a file
        from ipykernel.connect import get_connection_file
        found = re.fullmatch(r"kernel-([\w-]+)\.json", pathlib.Path(get_connection_file()).name)
        return found and found[1]
    return None


def opened(comm, message):
    comm.on_msg(take)
    take(message)


def take(message):
    said = message["content"]["data"]
    shown = _listening.get(said.get("shown"))
    if shown is not None:
        shown.told(said["session"])
