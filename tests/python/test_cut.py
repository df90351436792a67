"""Answers that are not whole are errors, never short tables."""

import os
import pathlib
import signal
import time
from collections.abc import Callable

import diglot
import pyarrow as pa
import pytest
from diglot._program import Answer, program

Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts a shell script in the place of the program; `$PROGRAM` in it is the program."""

    def install(body: str) -> None:
        script = tmp_path / "fake"
        monkeypatch.delenv("DIGLOT", raising=False)
        monkeypatch.setenv("PROGRAM", real)
        script.write_text("#!/bin/sh\n" + body)
        script.chmod(0o755)
        monkeypatch.setenv("DIGLOT", str(script))

    real = program()
    return install


@pytest.fixture(scope="session")
def stream(store: diglot.Store) -> bytes:
    """A whole answer."""
    return Answer(store._command("export", what="bitext", format="arrow")).read()


def boundaries(stream: bytes) -> list[int]:
    """Where messages of a stream end."""
    source = pa.BufferReader(stream)
    ends = []
    while source.tell() < len(stream) - 8:
        pa.ipc.read_message(source)
        ends.append(source.tell())
    return ends


def test_no_cut_gives_a_table(
    store: diglot.Store, stream: bytes, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake('"$PROGRAM" "$@" | head -c "$LENGTH"')
    ends = boundaries(stream)
    assert len(ends) == 2
    lengths = [0, 1, 100, ends[0], ends[0] + 4, ends[0] + 8, ends[1] - 1, ends[1], len(stream) - 4, len(stream) - 1]
    for length in lengths:
        monkeypatch.setenv("LENGTH", str(length))
        with pytest.raises(diglot.DiglotError, match="the answer of the program is not whole") as caught:
            store.bitext()
        assert caught.value.exit_code == 0
    monkeypatch.setenv("LENGTH", str(len(stream)))
    assert store.bitext().num_rows == store.counts()["sentence_pairs"]


def test_no_cut_of_a_listing_gives_a_table(store: diglot.Store, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Callable[[], pa.Table], str]] = [
        (store.keys, "keys"),
        (store.hosts, "hosts"),
        (store.status, "status"),
    ]
    for ask, name in asked:
        fake('exec "$PROGRAM" "$@"')
        text = Answer(store._command(name, format="json")).read().rstrip()
        ends = [at + 1 for at, byte in enumerate(text) if byte == ord("\n")]
        fake('"$PROGRAM" "$@" | head -c "$LENGTH"')
        for length in [0, 1, *ends, len(text) - 1]:
            monkeypatch.setenv("LENGTH", str(length))
            with pytest.raises(diglot.DiglotError, match="the answer of the program is not whole"):
                ask()


def test_no_cut_of_what_a_check_finds_is_a_finding(store: diglot.Store, fake: Fake) -> None:
    fake('"$PROGRAM" "$@" | head -c 100; exit 1')
    with pytest.raises(diglot.DiglotError, match="the answer of the program is not whole"):
        store.check()


def test_an_export_warns_of_what_is_not_up_to_date(store: diglot.Store, fake: Fake, tmp_path: pathlib.Path) -> None:
    fake('echo "diglot: 3 pairs of pages left out: 3 by score" >&2; echo "diglot: pairs are out of date; it says" >&2')
    with pytest.warns(diglot.DiglotWarning) as caught:
        assert len(store.export(tmp_path / "x.tsv").messages) == 2
    assert [str(warning.message) for warning in caught] == ["pairs are out of date; it says"]


def test_an_exit_code_after_a_whole_answer_is_an_error(store: diglot.Store, fake: Fake) -> None:
    fake('"$PROGRAM" "$@" || exit; echo "diglot: damage: the store lost 3 pages" >&2; exit 1')
    asked: list[Callable[[], object]] = [store.bitext, store.pairs, store.keys, store.hosts, store.status, store.counts]
    for ask in asked:
        with pytest.raises(diglot.DiglotError, match="^damage: the store lost 3 pages$") as caught:
            ask()
        assert caught.value.exit_code == 1
        assert caught.value.command[1] in {"export", "keys", "hosts", "status"}


def test_a_killed_program_is_an_error_with_its_signal(store: diglot.Store, fake: Fake, tmp_path: pathlib.Path) -> None:
    fake(f'echo $$ > {tmp_path}/pid; exec "$PROGRAM" "$@"')
    reader = store.bitext_batches()
    # It has more to write than a pipe holds, so it waits.
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    with pytest.raises(diglot.DiglotError, match=r"ended by signal 9 \(SIGKILL\)") as caught:
        reader.read_all()
    assert caught.value.exit_code == -signal.SIGKILL
    fake('"$PROGRAM" "$@" | head -c 300; echo "diglot: why" >&2; kill -9 $$')
    asked: list[Callable[[], object]] = [store.keys, store.pairs]
    for ask in asked:
        with pytest.raises(diglot.DiglotError, match=r"SIGKILL\): why"):
            ask()


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_that_read_a_cut_answer_fail_too(store: diglot.Store, fake: Fake, engine: str) -> None:
    module = pytest.importorskip(engine)
    fake('"$PROGRAM" "$@" | head -c 1000000; kill -9 $$')
    batches = store.bitext_batches()
    with pytest.raises(Exception, match=r"ended by signal 9 \(SIGKILL\)"):
        module.sql("SELECT count(*) FROM batches").fetchall() if engine == "duckdb" else module.DataFrame(batches)


def test_batches_come_while_the_program_runs_and_end_it_when_nobody_reads(
    store: diglot.Store, stream: bytes, fake: Fake, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "part").write_bytes(stream[: boundaries(stream)[-1]])
    fake(f"echo $$ > {tmp_path}/pid; cat {tmp_path}/part; exec sleep 600")
    for begun in [True, False]:
        reader = store.bitext_batches()
        if begun:
            assert reader.read_next_batch().num_rows == store_rows(stream)
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, 0)
        del reader
        wait_until_gone(pid)


def store_rows(stream: bytes) -> int:
    return int(pa.ipc.open_stream(stream).read_all().num_rows)


def wait_until_gone(pid: int) -> None:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the program goes on")


def test_a_row_that_lacks_a_column_is_an_error(store: diglot.Store, fake: Fake) -> None:
    fake("""echo '[{"what":"total","name":"pages","count":1}]'""")
    with pytest.raises(diglot.DiglotError, match="a required field was absent"):
        store.status()


def test_a_program_that_is_not_there_is_an_error(store: diglot.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIGLOT", "/no/such/program")
    with pytest.raises(diglot.DiglotError, match="/no/such/program, which is no program"):
        store.keys()
