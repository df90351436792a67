"""Finds the pages of web archives that are translations of each other, and makes bitext of them.

    import diglot

    found = diglot.run("crawl.warc.gz", store="my.store")
    found.counts["pairs"]
    found.store.pairs(langs="en,fr", min_score=0.9).to_pandas()

`run` reads archives into a store, `open` opens one for questions, `merge` makes one of several, `diff` says what differs between two. All work is done by the program `diglot`, which is part of this
package; answers are Arrow tables.
"""

from ._errors import DiglotError, DiglotWarning
from ._run import RunResult, run
from ._settings import Settings
from ._store import CheckResult, Exported, Store
from ._store import open_store as open
from ._upkeep import diff, merge

__all__ = [
    "CheckResult",
    "DiglotError",
    "DiglotWarning",
    "Exported",
    "RunResult",
    "Settings",
    "Store",
    "diff",
    "merge",
    "open",
    "run",
]
