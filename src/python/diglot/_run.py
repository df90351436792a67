"""Runs: from archives to pairs."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ._errors import error_of, messages_of
from ._program import StrPath, options, program, tied
from ._settings import Settings
from ._store import Store

if TYPE_CHECKING:
    # Python 3.10 has none in `typing`; type checkers bring it along.
    from typing_extensions import Unpack

#: Who hears of the progress of a run: a function that is given lines, or `True` for `sys.stderr`.
Progress: TypeAlias = Union[None, bool, Callable[[str], object]]

#: Who hears how far a run is: a function that is given objects, such as `{"event": "progress", "stage": "verify", "done": 3, "total": 9, …}`.
OnProgress: TypeAlias = Callable[[dict[str, Any]], object]

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

    def _repr_html_(self) -> str:
        """What a notebook shows: the counts as a table, and the summary."""
        cells = [
            f"<tr><th>{html.escape(name.replace('_', ' '))}</th><td style='text-align:right'>{count:,}</td></tr>"
            for name, count in self.counts.items()
        ]
        messages = [f"<li>{html.escape(message)}</li>" for message in self.messages]
        return (
            f"<p>Store <code>{html.escape(str(self.store.path))}</code></p><table>{''.join(cells)}</table>"
            + (f"<ul>{''.join(messages)}</ul>" if messages else "")
            + f"<details><summary>Summary</summary><pre>{html.escape(self.summary)}</pre></details>"
        )


def run(
    inputs: StrPath | Iterable[StrPath] = (),
    *,
    store: StrPath,
    progress: Progress = None,
    on_progress: OnProgress | None = None,
    **settings: Unpack[Settings],
) -> RunResult:
    """Reads archives into a store and runs all stages, or resumes what was interrupted.

    `inputs` are archives (WARC, ARC, WACZ, HTTrack mirrors, indexes): files, folders, patterns, or `@list.txt`, a list of inputs;
    without any, the run goes on with those of the store. `settings` are the options of `diglot run`, with underscores:
    `langs=["en", "fr"]`, `preset="link-2014"`, `min_score=0.9`, `across_suffixes=False`, `memory="4G"`,
    `until="keys"`, `reset="all"`; `Settings` has all of them, with their types. The store keeps the settings of its method until others are
    given.

    `progress` is called with lines: one as each stage ends, and one every ten seconds. `True` writes them to `sys.stderr`. `on_progress`, in
    its place, is called with an object each second and as each part of a stage begins and ends, for a bar: `event` (`begin`, `progress`, `end`,
    `stopped`), `stage`, `what`, `unit`, `done`, `total`, `seconds`, `rate`, `seconds_left`, `note`, `step`. When either raises, and at Ctrl-C, the run stops at its next commit and can be resumed; a second Ctrl-C stops at once.

    Raises `DiglotError`: with exit code 2 for a wrong setting, with 1 for inputs that cannot be read (`keep_going=True` reads the
    others, and raises at the end), for a store that another run writes to, and for a failure on the way. What was committed stays.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    target = Store.at(store)
    given: dict[str, object] = dict(settings)
    is_heard = progress is not None and progress is not False
    if is_heard and on_progress is not None:
        raise ValueError("progress is told as lines or as objects: leave out progress, or on_progress")
    if (is_heard or on_progress is not None) and given.get("quiet"):
        raise ValueError("a quiet run tells no progress: leave out quiet, or progress")
    if is_heard:
        # Then each stage says that it has ended.
        given.setdefault("verbose", True)
    command = [program(), "run", f"--store={target.path}", *options(given, SWITCHES)]
    if on_progress is not None:
        command.append("--progress=json")
    command += ["--", *(os.fspath(path) for path in paths)]
    if on_progress is not None:
        summary, stderr = _watched(command, lambda _: None, on_progress)
    else:
        summary, stderr = _watched(command, listener(progress))
    is_there = not given.get("dry_run")
    return RunResult(target, target.counts() if is_there else {}, summary, tuple(messages_of(stderr)))


def listener(progress: Progress) -> Callable[[str], object]:
    if progress is True:
        return lambda line: print(line, file=sys.stderr, flush=True)
    return progress or (lambda _: None)


def _said(line: str, on_progress: OnProgress) -> str:
    """The message on a line of objects, as it would be without them; nothing for progress, which is heard."""
    try:
        told = json.loads(line)
    except ValueError:
        return line
    if not isinstance(told, dict):
        return line
    if told.get("event") in ("message", "error"):
        return f"diglot: {told.get('text', '')}\n"
    on_progress(told)
    return ""


def _watched(
    command: list[str], hear: Callable[[str], object], on_progress: OnProgress | None = None
) -> tuple[str, str]:
    """Runs a command, and has each line of its stderr heard, or the objects in them; gives its stdout, and the messages on its stderr."""
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
                lines.append(line if on_progress is None else _said(line, on_progress))
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
