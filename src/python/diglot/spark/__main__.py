"""`python -m diglot.spark INPUT... --work DIR --out DIR`, also for `spark-submit`."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys

from diglot import DiglotError
from diglot._program import Setting
from diglot.spark import SparkResult, run, session
from diglot.spark._results import TABLES
from diglot.spark._run import WHAT

_HELP = """Finds the pages of web archives that are translations of each other, and makes bitext of them, on Spark."""
_SETTINGS = """Other options are the settings of `diglot run`: --langs=en,fr --min-score=0.9."""
# Damaged places that are told.
_TOLD = 5


def main(arguments: list[str]) -> int:
    """Does a run, and gives the exit code: 2 for a wrong setting, 1 for any other failure."""
    given, settings = _parsed(arguments)
    # `spark-submit` says so by this variable, and has a master.
    master = given.master or (None if "PYSPARK_GATEWAY_PORT" in os.environ else "local[*]")
    try:
        spark = session(master)
    except DiglotError as error:
        print(f"diglot: {error}", file=sys.stderr)
        return 1
    if master is not None:
        # What fails is told below, without the stacks of Java.
        spark.sparkContext.setLogLevel("OFF")
        logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    # That of pyspark talks to Java in the middle of an answer.
    signal.signal(signal.SIGINT, _interrupt)
    try:
        found = run(
            spark,
            given.inputs,
            work=given.work,
            out=given.out,
            what=given.what.split(","),
            by_domain=given.by_domain,
            pages_per_part=given.pages_per_part,
            split_over=given.split_over,
            buckets=given.buckets,
            memory=given.memory,
            keep_going=given.keep_going,
            progress=not given.quiet,
            **settings,
        )
    except (DiglotError, ValueError) as error:
        print(f"diglot: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) or error.exit_code == 2 else 1
    except KeyboardInterrupt:
        print("diglot: interrupted; the same command goes on behind the last step that was done", file=sys.stderr, flush=True)
        # The tasks that run end with Java, which ends with this process.
        os._exit(130)
    finally:
        spark.stop()
    _tell(found)
    # A damaged archive was read, but for what is damaged.
    return 1 if found.refused else 0


def _interrupt(*_: object) -> None:
    # The gateway to Java would tell where it was.
    logging.disable(logging.CRITICAL)
    raise KeyboardInterrupt


def _parsed(arguments: list[str]) -> tuple[argparse.Namespace, dict[str, Setting]]:
    parser = argparse.ArgumentParser(prog="diglot.spark", description=_HELP, epilog=_SETTINGS, allow_abbrev=False)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="archives: files, folders, patterns, @LIST, URIs that Spark reads")
    parser.add_argument("--work", required=True, metavar="DIR", help="folder of what the steps pass on, also to resume")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the tables")
    parser.add_argument("--master", help="local[4], spark://host:7077; by default that of spark-submit, or all cores of this machine")
    tables = ", ".join(TABLES)
    parser.add_argument("--what", default=",".join(WHAT), metavar="TABLE,...", help=f"tables to write, of {tables} [{','.join(WHAT)}]")
    parser.add_argument("--by-domain", action="store_true", help="of the table explore: registrable domains instead of hosts")
    parser.add_argument("--pages-per-part", type=int, default=20000, metavar="N", help="pages of a part, about [20000]")
    parser.add_argument("--split-over", type=int, metavar="PAGES", help="divide domains of more pages: their keys stay exact, the rest nearly [never]")
    parser.add_argument("--buckets", type=int, metavar="N", help="tasks that compare the sentence pairs of all parts")
    parser.add_argument("--memory", default="1G", metavar="SIZE", help="what a task of the program may take [1G]")
    parser.add_argument("--keep-going", action="store_true", help="leave out what cannot be read")
    parser.add_argument("--quiet", action="store_true", help="print no progress")
    given, rest = parser.parse_known_args(arguments)
    if wrong := [option for option in rest if not option.startswith("--")]:
        parser.error(f"unknown: {' '.join(wrong)} (settings have their values behind =, such as --langs=en,fr)")
    settings: dict[str, Setting] = {}
    for option in rest:
        name, is_given, value = option[2:].partition("=")
        name = name.replace("-", "_")
        before = settings.get(name)
        if not is_given:
            settings[name] = True
        elif isinstance(before, list):
            before.append(value)
        else:
            settings[name] = value if before is None else [str(before), value]
    return given, settings


def _tell(found: SparkResult) -> None:
    for name, count in found.counts.items():
        print(f"{name.replace('_', ' ')}: {count}")
    if found.left_out:
        print("left out:", ", ".join(f"{count} {reason}" for reason, count in found.left_out.items()))
    for damaged in found.damaged[:_TOLD]:
        print(f"damaged: {damaged}", file=sys.stderr)
    if len(found.damaged) > _TOLD:
        print(f"damaged: {len(found.damaged) - _TOLD} more places", file=sys.stderr)
    for refused in found.refused:
        print(f"skipped: {refused}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
