"""The options of a run, with their types: what an editor offers, and what a type checker refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, TypedDict, Union

from ._program import StrPath

#: One name, or several.
Names: TypeAlias = Union[str, Iterable[str]]
#: One path, or several.
Paths: TypeAlias = Union[StrPath, Iterable[StrPath]]
#: Bytes, or a text such as `"512M"`.
Size: TypeAlias = Union[int, str]
#: The stages, in their order.
Stage: TypeAlias = Literal["ingest", "index", "links", "keys", "verify", "iterate", "align"]


class Settings(TypedDict, total=False):
    """The options of `diglot run`, with underscores; the guide of the program explains them (Settings). The store keeps those of its method
    until others are given; `None` leaves an option out."""

    #: Settings to be as if they had never been given, or `"all"`.
    reset: Names | None
    #: The last stage that is run.
    until: Stage | None
    #: Tell what would be done, and do nothing.
    dry_run: bool
    #: Leave results that were replaced on the disk.
    no_compact: bool
    #: Leave out inputs that cannot be read, and raise at the end.
    keep_going: bool
    #: Look at all inputs again, also those that seem to be what they were.
    reread: bool
    #: Print no messages.
    quiet: bool
    #: Say how long each stage took.
    verbose: bool
    #: Threads; by default one for each core.
    threads: int | None
    #: Memory a run may take, about.
    memory: Size | None
    #: How the summary is printed.
    format: str | None

    #: Records that are longer are cut.
    max_record_bytes: Size | None
    #: Windows of zstd that are larger are refused.
    max_window_bytes: Size | None
    #: The folder of the archives that indexes name.
    archives: StrPath | None
    #: From where folders of pages were saved.
    base_url: str | None
    #: A program that tells the languages of texts.
    language_program: str | None
    #: How sure it must be, 0 to 1.
    language_min_probability: float | None
    #: For how many seconds it may be silent.
    language_timeout: float | None
    #: How many of it run side by side.
    language_processes: int | None

    #: A method: `default`, or that of a paper.
    preset: str | None
    #: Only these languages, in this order.
    langs: Names | None
    #: What counts as one site.
    site: Literal["host", "domain"] | None
    #: Domains that differ in their public suffix alone are one site.
    across_suffixes: bool | None
    #: Which of several captures of a URL counts.
    captures: Literal["newest", "nearest"] | None
    #: Leave out pages whose owners opt out.
    respect_robots: bool | None
    #: The crawler whose rules in robots.txt count.
    robots_agent: str | None
    #: Leave out pages with a mark of machine translation.
    skip_machine_translated: bool | None
    #: The least probability of a pair, 0 to 1.
    min_score: float | None
    #: Word lists of two languages.
    lexicon: Paths | None
    #: Profiles of languages.
    languages: Paths | None
    #: Kinds of evidence to do without: `keys`, `content`.
    without: Names | None
    #: A measure by which alone the pairs of keys are judged.
    verifier: str | None
    #: Global credibility, in pages, above which a weak key is rescued.
    rescue_above: float | None
    #: The most rounds over links.
    rounds: int | None
    #: A program that scores sentence pairs.
    scorer: str | None
    #: For how many seconds it may be silent.
    scorer_timeout: float | None
    #: How many of it run side by side.
    scorer_processes: int | None
    #: Of the preset `link-2014`: the weight of links, 0 to 1.
    alpha: float | None
    #: The weight of words, 0 to 1.
    beta: float | None
    #: How pages to which many pages link are weighted.
    weights: Literal["none", "first", "second"] | None
    #: The least similarity of a pair, 0 to 1.
    min_sim: float | None
