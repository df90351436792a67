"""Several stores: one made of them, and what differs between two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

from ._program import Answer, StrPath, options
from ._store import Store, Where, folder_of, optional, required
from ._tables import table

_PAIRS = pa.schema(
    [
        *(required(name, pa.string()) for name in ("change", "url_a", "url_b", "lang_a", "lang_b")),
        *(optional(name, pa.float64()) for name in ("score_before", "score_after")),
        *(optional(name, pa.string()) for name in ("method_before", "method_after", "key_before", "key_after")),
        *(required(name, pa.string()) for name in ("status_before", "status_after", "why")),
    ]
)
_BITEXT = pa.schema(
    [
        *(
            required(name, pa.string())
            for name in ("change", "text_a", "text_b", "lang_a", "lang_b", "url_a", "url_b")
        ),
        *(optional(name, pa.float64()) for name in ("score_before", "score_after")),
        required("why", pa.string()),
    ]
)
_SUMMARY = pa.schema(
    [
        *(required(name, pa.string()) for name in ("what", "lang_a", "lang_b", "host")),
        *(optional(name, pa.int64()) for name in ("before", "after")),
        *(required(name, pa.int64()) for name in ("gained", "lost", "changed")),
    ]
)
_DIFFS = {None: _SUMMARY, "pairs": _PAIRS, "bitext": _BITEXT}


def merge(stores: Iterable[Store | StrPath], output: StrPath) -> Store:
    """Makes one store of several, as if all their archives had been read into it; `run(store=output)` makes its pairs.

    The stores are only read, and `output` must not exist. The settings of the first store hold; a `DiglotWarning` names settings
    of others that differ, and says what of removed data is there.

    Raises `DiglotError` for a store that cannot be read or has lost data, and when the disk does not take the new one, which is then
    not there.
    """
    merged = Store.at(output)
    Answer(["merge", f"--output={merged.path}", "--progress=none", "--", *(folder_of(store) for store in stores)]).read()
    return merged


def diff(
    before: Store | StrPath,
    after: Store | StrPath,
    *,
    what: Literal["pairs", "bitext"] | None = None,
    host: str | None = None,
    where: Where = None,
    limit: int | None = None,
) -> pa.Table:
    """What differs between two stores.

    With `what="pairs"`, a row for each pair that was gained, lost or changed, with score, method, key and status before and after,
    and `why`; with `what="bitext"`, for each such sentence pair. Without, a summary: for each two languages, and for each host on which
    something differs, how many were gained, lost and changed; the host `*` stands for all.
    """
    settings = {"what": what, "host": host, "where": where, "limit": limit, "format": "json"}
    return table(["diff", *options(settings), "--", folder_of(before), folder_of(after)], _DIFFS[what])
