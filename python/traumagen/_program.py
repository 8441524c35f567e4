"""Runs the program: options to words, its standard error line by line to the user, its error to an exception."""

from __future__ import annotations

import codecs
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

MISSED = 5  # the exit code where a rate missed its target: an answer, not a failure
REPEATED = ("set", "tune")
ERASE = "\x1b[K"


class Error(Exception):
    """The program failed: code is its exit code (docs/reference/exit-codes.md), message says what was found and what was
    expected, with file and line where there is one, and hint how to mend it ("": none is known). results holds the rows of
    the points that were finished all the same, None without any."""

    def __init__(self, code: int, message: str, hint: str = "", results: Any = None) -> None:
        super().__init__(message + ("; " + hint if hint else ""))
        self.code = code
        self.message = message
        self.hint = hint
        self.results = results


def program() -> str:
    """The program's path: that inside the package; else the one in the environment's TRAUMAGEN_PROGRAM or in PATH, for a
    package used from the source tree."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "trauma")
    named = os.environ.get("TRAUMAGEN_PROGRAM") or (inside if os.path.exists(inside) else shutil.which("trauma"))
    if not named:
        raise Error(4, f"there is no program: neither {inside}, nor trauma in PATH",
                    "install the package (pip install .), or name the program in TRAUMAGEN_PROGRAM")
    return named


def version() -> str:
    """The program's version."""
    return answer(["--version"]).split()[-1]


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _is_list(value: Any) -> bool:
    return not isinstance(value, (str, bytes, os.PathLike, dict)) and hasattr(value, "__iter__")


def _joined(value: Any) -> str:
    return ",".join(_text(item) for item in value) if _is_list(value) else _text(value)


def option_words(options: Dict[str, Any]) -> List[str]:
    """The command line's words for the options."""
    words = []
    for name, value in options.items():
        dashed = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, dict):
            value = [f"{key}={_joined(item)}" for key, item in value.items()]
        if value is None or value is False:
            continue
        if value is True:
            words.append(dashed)
        elif name in REPEATED and _is_list(value):
            for item in value:
                words += [dashed, _text(item)]
        else:
            words += [dashed, _joined(value)]
    return words


def input_words(inputs: Any) -> List[str]:
    """One path or name, or several; "--" would take those that begin with a dash for options."""
    return [_text(item) for item in (inputs if _is_list(inputs) else [inputs])]


# ---- standard error ----

def _in_notebook() -> bool:
    kernel = sys.modules.get("ipykernel.iostream")
    return kernel is not None and isinstance(sys.stderr, kernel.OutStream)


def _open_channel() -> Tuple[int, int]:
    """Where the program writes its standard error. It draws progress on a terminal alone, so it has one where what it draws
    is seen."""
    if _in_notebook() or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty()):
        reader, writer = pty.openpty()
        return reader, writer
    return os.pipe()


class _Listener:
    """Passes what the program writes to sys.stderr, line by line and each step of its progress; keeps the error that it
    tells (TRAUMA_ERRORS=json) and the last line."""

    def __init__(self, reader: int) -> None:
        self.reader = reader
        self.error: Optional[Dict[str, Any]] = None
        self.last = ""
        self.width = 0  # of progress that stands on the line
        self.plain = _in_notebook()  # a notebook returns to the line's begin, but knows no erasing

    def _show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def _show_progress(self, text: str) -> None:
        shown = text.replace(ERASE, "")
        if self.plain:
            self._show("\r" + shown.ljust(self.width) + ("\r" if not shown else ""))
        else:
            self._show("\r" + text)
        self.width = len(shown)

    def _take_line(self, line: str) -> None:
        if line.startswith('{"error":'):
            try:
                self.error = json.loads(line)["error"]
                return
            except ValueError:
                pass
        self.last = line.strip() or self.last
        self._show(line + "\n")

    def _take(self, text: str) -> str:
        """Shows all whole lines and steps of the text; returns the rest, which is not whole yet."""
        while "\n" in text:
            line, text = text.split("\n", 1)
            *steps, line = line.rstrip("\r").split("\r")
            for step in steps:
                if step:
                    self._show_progress(step)
            if line.startswith(ERASE):  # the end of progress, and a line after it
                self._show_progress(ERASE)
                line = line[len(ERASE):]
            self._take_line(line)
        if text.startswith("\r") and text.endswith(ERASE):
            for step in text.split("\r")[1:]:
                self._show_progress(step)
            return ""
        return text

    def listen(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        while True:
            try:
                part = os.read(self.reader, 65536)
            except OSError:  # a terminal whose program ended
                part = b""
            if not part:
                break
            rest = self._take(rest + decoder.decode(part))
        if rest.strip():
            self._take_line(rest.strip("\r"))
        os.close(self.reader)


class Answer(NamedTuple):
    """What the program left: its exit code, its standard output, the error that it told, and the last line that it wrote to
    standard error besides."""

    code: int
    output: str
    error: Optional[Error]
    last: str


def call(words: Iterable[str]) -> Answer:
    """Runs the program."""
    command = [program(), *words]
    environment = dict(os.environ, TRAUMA_ERRORS="json")
    reader, writer = _open_channel()
    listener = _Listener(reader)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer, env=environment,
                                 start_new_session=True)
    except OSError as failure:
        os.close(reader)
        raise Error(4, f"{command[0]}: {failure.strerror}") from None
    finally:
        os.close(writer)
    thread = threading.Thread(target=listener.listen, daemon=True)
    thread.start()
    try:
        output, _ = child.communicate()
    except BaseException:  # an interrupt: the program restores the machine's state and ends
        child.send_signal(signal.SIGINT)
        child.communicate()
        thread.join()
        raise
    thread.join()
    error = None
    if child.returncode < 0:
        error = Error(1, f"the program was ended by {signal.Signals(-child.returncode).name}")
    elif listener.error is not None:
        told = listener.error
        place = told["file"] + (f":{told['line']}" if told["line"] > 0 else "") + ": " if told["file"] else ""
        error = Error(told["code"], place + told["message"], told["hint"])
    return Answer(child.returncode, output.decode("utf-8", "replace"), error, listener.last)


def answer(words: Iterable[str]) -> str:
    """Runs the program for its output alone; raises its error."""
    told = call(words)
    if told.error is not None:
        raise told.error
    return told.output
