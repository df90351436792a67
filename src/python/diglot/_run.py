"""Runs: from archives to pairs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, Union

from ._errors import error_of, messages_of
from ._program import Setting, StrPath, options, program, tied
from ._store import Store

#: Who hears of the progress of a run: a function that is given lines, or `True` for `sys.stderr`.
Progress: TypeAlias = Union[None, bool, Callable[[str], object]]

# Options of `diglot run` without a value; the others that are true or false take `yes` or `no`.
SWITCHES = ("dry_run", "keep_going", "no_compact", "quiet", "reread", "verbose")


@dataclass(frozen=True)
class RunResult:
    """What a run has done."""

    #: The store, to be asked.
    store: Store
    #: What the store holds: `archives`, `records`, `captures_kept`, `pages`, `domains`, `hosts`, `pairs`, `sentence_pairs`.
    counts: dict[str, int]
    #: What the program prints at the end of a run: keys, pairs, sentence pairs, what was left out.
    summary: str
    #: What it said on the way, such as how many inputs were read.
    messages: tuple[str, ...]


def run(
    inputs: StrPath | Iterable[StrPath] = (),
    *,
    store: StrPath,
    progress: Progress = None,
    **settings: Setting,
) -> RunResult:
    """Reads archives into a store and runs all stages, or resumes what was interrupted.

    `inputs` are archives (WARC, ARC, WACZ, HTTrack mirrors, indexes): files, folders, patterns, or `@list.txt`, a list of inputs;
    without any, the run goes on with those of the store. `settings` are the options of `diglot run`, with underscores:
    `langs=["en", "fr"]`, `preset="link-2014"`, `min_score=0.9`, `across_suffixes=False`, `memory="4G"`,
    `until="keys"`, `reset="all"`. The store keeps the settings of its method until others are given.

    `progress` is called with lines: one as each stage ends, and one every ten seconds. `True` writes them to `sys.stderr`. When it
    raises, and at Ctrl-C, the run stops at its next commit and can be resumed; a second Ctrl-C stops at once.

    Raises `DiglotError`: with exit code 2 for a wrong setting, with 1 for inputs that cannot be read (`keep_going=True` reads the
    others, and raises at the end), for a store that another run writes to, and for a failure on the way. What was committed stays.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    target = Store.at(store)
    settings = dict(settings)
    if progress is not None and progress is not False:
        if settings.get("quiet"):
            raise ValueError("a quiet run tells no progress: leave out quiet, or progress")
        # Then each stage says that it has ended.
        settings.setdefault("verbose", True)
    command = [program(), "run", f"--store={target.path}", *options(settings, SWITCHES)]
    command += ["--", *(os.fspath(path) for path in paths)]
    summary, stderr = _watched(command, listener(progress))
    is_there = not settings.get("dry_run")
    return RunResult(target, target.counts() if is_there else {}, summary, tuple(messages_of(stderr)))


def listener(progress: Progress) -> Callable[[str], object]:
    if progress is True:
        return lambda line: print(line, file=sys.stderr, flush=True)
    return progress or (lambda _: None)


def _watched(command: list[str], hear: Callable[[str], object]) -> tuple[str, str]:
    """Runs a command, and has each line of its stderr heard; gives its stdout and stderr."""
    with tempfile.TemporaryFile() as output:
        # In a session of its own, so that Ctrl-C reaches it by us and therefore once: twice means at once.
        process = subprocess.Popen(
            command,
            stdin=None if "-" in command else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            **tied(),
        )
        assert process.stderr is not None
        lines: list[str] = []
        try:
            for line in process.stderr:
                lines.append(line)
                hear(line.rstrip("\n"))
            exit_code = process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            process.stderr.close()
        stderr = "".join(lines)
        if exit_code != 0:
            raise error_of(command, exit_code, stderr)
        output.seek(0)
        return output.read().decode(errors="replace"), stderr


def _stop(process: subprocess.Popen[str]) -> None:
    """Has a run end at its next commit, and waits for it."""
    try:
        # Not SIGINT, which a shell has its background jobs ignore, and these their children.
        process.terminate()
        # What it says until then keeps it from waiting for a reader.
        if process.stderr is not None:
            process.stderr.read()
        process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
