"""The program: where it is, its arguments, and its answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from typing import IO, Any, TypeAlias, Union

from ._errors import DiglotError, error_of, warn_of

#: A path, as text or as an object.
StrPath: TypeAlias = Union[str, "os.PathLike[str]"]
#: A value of an option; several become a list with commas, `None` leaves the option out.
Setting: TypeAlias = Union[None, bool, int, float, str, "os.PathLike[str]", Iterable[StrPath]]

#: The variable that names another program than the one that was installed with this package.
VARIABLE = "DIGLOT"
#: Settings that name files.
FILES = ("languages", "lexicon")
#: Settings that are given once for each of their values, in which there may be commas.
REPEATED = (*FILES, "where", "index", "gold", "grey", "pairs", "archive", "host", "url", "not_in")
# Bytes of an output that are passed over at once.
_PORTION = 1 << 20
# The variable that gives the program the reading end of a pipe: when it ends, whoever started the program is gone.
_ALIVE = "DIGLOT_ALIVE_FD"
# Both ends of that pipe, as long as this process lives.
_pipe: tuple[int, int] | None = None


def program() -> str:
    """The path of the program: `$DIGLOT`, else the one installed beside this Python, else the first on the `PATH`."""
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise DiglotError(f"${VARIABLE} is {named}, which is no program", 127)
        return found
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    folders = [sysconfig.get_path("scripts", scheme) for scheme in schemes]
    for path in [*folders, None]:
        found = shutil.which("diglot", path=path)
        if found is not None:
            return found
    raise DiglotError(f"there is no program diglot; install the package anew, or name the program by ${VARIABLE}", 127)


def options(settings: Mapping[str, object], switches: Iterable[str] = ()) -> list[str]:
    """Settings as arguments: `min_score=0.9` is `--min-score=0.9`. Each is a `Setting`, or a map of names to numbers. Switches have no value:
    they are there or not."""
    arguments: list[str] = []
    switches = frozenset(switches)
    for name, value in settings.items():
        option = "--" + name.replace("_", "-")
        if value is None or (name in switches and value is False):
            continue
        if name in switches and value is True:
            arguments.append(option)
        elif isinstance(value, bool):
            arguments.append(f"{option}={'yes' if value else 'no'}")
        elif isinstance(value, os.PathLike):
            arguments.append(f"{option}={os.fspath(value)}")
        elif isinstance(value, Mapping):
            arguments.append(f"{option}={','.join(f'{key}={share}' for key, share in value.items())}")
        elif isinstance(value, Iterable) and not isinstance(value, str):
            parts = [os.fspath(part) for part in value]
            arguments += [f"{option}={part}" for part in parts] if name in REPEATED else [f"{option}={','.join(parts)}"]
        else:
            # Numbers of other packages too.
            arguments.append(f"{option}={value}")
    return arguments


def tied() -> dict[str, Any]:
    """What `subprocess` is given beside a command of the program, so that it ends when this process does, even by a signal that
    Python does not hear of."""
    global _pipe
    if os.name != "posix":
        return {}
    if _pipe is None:
        _pipe = os.pipe()
    return {"pass_fds": _pipe[:1], "env": {**os.environ, _ALIVE: str(_pipe[0])}}


def _untie() -> None:
    """Lets go of the pipe of the process that this one was forked from."""
    global _pipe
    for end in _pipe or ():
        with suppress(OSError):
            os.close(end)
    _pipe = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_untie)


class Answer:
    """A command whose output is read while it runs, or at its end."""

    command: list[str]
    #: What the command writes.
    output: IO[bytes]

    def __init__(self, arguments: Iterable[str]) -> None:
        self.command = [program(), *arguments]
        # A file takes any number of lines without being read.
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._stderr, **tied()
        )
        assert self._process.stdout is not None
        self.output = self._process.stdout

    def finish(self, *, allowed: Container[int] = (0,), warns_of: Callable[[str], bool] = lambda _: True) -> str:
        """Waits for the end, and warns of those messages for which `warns_of` holds; returns all that was said.

        Raises `DiglotError` when the exit code is none of those that are allowed.
        """
        # What nobody reads any more keeps the program from its end.
        while self.output.read(_PORTION):
            pass
        exit_code = self._process.wait()
        stderr = self._said()
        self.close()
        if exit_code not in allowed:
            raise error_of(self.command, exit_code, stderr)
        if exit_code == 0:
            warn_of(stderr, warns_of)
        return stderr

    def broken(self, why: str) -> DiglotError:
        """The error of an output that is not what it should be, though the exit code is 0."""
        return DiglotError(f"the answer of the program is not whole: {why}", 0, "", self.command)

    def read(self) -> bytes:
        """All of the output.

        Raises `DiglotError` when the exit code is not 0.
        """
        try:
            output = self.output.read()
            self.finish()
        finally:
            self.close()
        return output

    def close(self) -> None:
        """Ends the command, if it runs."""
        if self._process.poll() is None:
            self._process.kill()
        self.output.close()
        self._process.wait()
        self._stderr.close()

    def _said(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")

    def __del__(self) -> None:
        # Of a reader that nobody has read to its end.
        if hasattr(self, "output"):
            self.close()
