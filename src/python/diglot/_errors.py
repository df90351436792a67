"""What goes wrong, in the words of the program."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Sequence

# What the program's messages, and those about its arguments, begin with.
_PREFIXES = ("diglot: ", "error: ")
# Lines of an output without any message that are shown.
_LAST_LINES = 20


class DiglotError(Exception):
    """The program could not do what was asked, or ended before it had.

    The text is the message of the program, which says what to do.
    """

    #: The exit code of the program: 1 an error, 2 an argument or a setting, 130 interrupted; negative: the signal that ended it.
    exit_code: int
    #: All that the program wrote to stderr.
    stderr: str
    #: The command, with its arguments.
    command: tuple[str, ...]

    def __init__(self, message: str, exit_code: int = 1, stderr: str = "", command: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stderr = stderr
        self.command = tuple(command)

    def __reduce__(self) -> tuple[type[DiglotError], tuple[str, int, str, tuple[str, ...]]]:
        # Errors cross processes.
        return type(self), (str(self), self.exit_code, self.stderr, self.command)


class DiglotWarning(UserWarning):
    """What the program says of an answer, such as that it is not up to date."""


def error_of(command: Sequence[str], exit_code: int, stderr: str) -> DiglotError:
    """The error of a program that ended with an exit code other than 0."""
    message = last_message(stderr)
    if exit_code < 0:
        how = f"the program was ended by signal {-exit_code} ({_signal_name(-exit_code)})"
        message = f"{how}: {message}" if message else how
    return DiglotError(message or f"the program ended with exit code {exit_code}", exit_code, stderr, command)


def last_message(stderr: str) -> str:
    """The last message, which is the error where there is one; without any message, the last lines."""
    lines = stderr.rstrip().split("\n")
    at = max((at for at, line in enumerate(lines) if line.startswith(_PREFIXES)), default=None)
    if at is None:
        return "\n".join(lines[-_LAST_LINES:]).strip()
    message = "\n".join(lines[at:])
    # How the command line is used helps nobody who does not type it.
    message = message.split("\n\nUsage: ")[0].split("\n\nFor more information, ")[0]
    return message.split(": ", 1)[1].strip()


def messages_of(stderr: str) -> list[str]:
    """The messages, each on a line."""
    return [line.split(": ", 1)[1] for line in stderr.splitlines() if line.startswith("diglot: ")]


def warn_of(stderr: str, warns_of: Callable[[str], bool] = lambda _: True) -> None:
    """Warns of the messages for which `warns_of` holds, at the line outside of this package that has asked."""
    depth = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "diglot":
        frame, depth = frame.f_back, depth + 1
    for message in messages_of(stderr):
        # That there are no rows is seen.
        if not message.startswith("0 ") and warns_of(message):
            warnings.warn(message, DiglotWarning, stacklevel=depth)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
