"""Runs: what they find, what they say, how they stop."""

import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import time

import diglot
import pytest
from conftest import ROOT
from diglot._program import options, program
from diglot._run import SWITCHES

SITES = ROOT / "data" / "sites"


def test_the_sample_has_its_pairs(found: diglot.RunResult) -> None:
    assert found.counts["pairs"] == 96
    assert found.counts["pages"] == 122
    assert found.counts["sentence_pairs"] > 2000
    assert "path:en:fr" in found.summary
    assert "inputs: 2 read" in found.messages


def test_settings_are_the_options_of_the_program(tmp_path: pathlib.Path) -> None:
    few = diglot.run(
        [str(SITES)], store=tmp_path / "s", langs=["en", "fr"], min_score=0.6, across_suffixes=False, until="iterate"
    )
    assert set(few.store.pairs()["lang_a"].to_pylist()) == {"en"}
    settings = {row["name"]: row["detail"] for row in few.store.status().to_pylist() if row["what"] == "setting"}
    assert settings["langs"].startswith("en,fr;")
    assert settings["min-score"].startswith("0.6;")
    with pytest.raises(diglot.DiglotError, match="--min-score is 7") as caught:
        diglot.run(store=tmp_path / "s", min_score=7)
    assert caught.value.exit_code == 2
    with pytest.raises(diglot.DiglotError, match="'--min-scroe'") as caught:
        diglot.run(store=tmp_path / "s", min_scroe=0.7)  # type: ignore[call-arg]
    assert caught.value.exit_code == 2
    assert "Usage" not in str(caught.value)
    with pytest.raises(diglot.DiglotError, match="no store here"):
        diglot.open(tmp_path / "none")


def test_values_are_written_as_the_program_reads_them() -> None:
    written = options(
        {"min_score": 0.5, "langs": ("en", "fr"), "lexicon": pathlib.Path("a b.tsv"), "limit": None, "across_suffixes": False},
    )
    assert written == ["--min-score=0.5", "--langs=en,fr", "--lexicon=a b.tsv", "--across-suffixes=no"]
    assert options({"weak": True, "quiet": False, "site": "host"}, ["weak", "quiet"]) == ["--weak", "--site=host"]


def test_options_without_a_value_are_known() -> None:
    text = subprocess.run([program(), "run", "--help"], check=True, capture_output=True, text=True).stdout
    flags = [line.split("--")[1] for line in text.splitlines() if line.lstrip().startswith("-") and "--" in line]
    plain = {flag.strip().replace("-", "_") for flag in flags if flag.strip().replace("-", "").isalpha()}
    assert plain - {"help"} == set(SWITCHES)


def test_a_dry_run_tells_and_makes_nothing(tmp_path: pathlib.Path) -> None:
    plan = diglot.run(SITES, store=tmp_path / "s", dry_run=True)
    assert "webserver.warc.gz" in plan.summary
    assert plan.counts == {}
    assert not (tmp_path / "s").exists()


def test_progress_is_heard(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    diglot.run(SITES, store=tmp_path / "s", until="keys", progress=lines.append)
    assert [line for line in lines if line.startswith("stage 4 of 7, keys: ")]
    diglot.run(store=tmp_path / "s", progress=True)
    assert "stage 7 of 7, align: " in capsys.readouterr().err


def test_who_hears_can_stop_the_run_and_it_is_resumed(tmp_path: pathlib.Path) -> None:
    def stop(line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="stage 1 of 7"):
        diglot.run(SITES, store=tmp_path / "s", progress=stop)
    resumed = diglot.run(store=tmp_path / "s")
    assert resumed.counts["pairs"] == 96


def test_ctrl_c_stops_the_run_once(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "log"
    fake = tmp_path / "diglot"
    fake.write_text(
        f"#!/bin/sh\ntrap 'echo stopping >> {log}; sleep 1; exit 130' TERM\n"
        f"echo began >> {log}\nwhile :; do sleep 0.1; done\n"
    )
    fake.chmod(0o755)
    script = f"import diglot; diglot.run('x', store={str(tmp_path / 's')!r})"
    user = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "DIGLOT": str(fake)}, stderr=subprocess.PIPE
    )
    while not log.exists() and user.poll() is None:
        time.sleep(0.05)
    user.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in user.communicate(timeout=20)[1]
    assert log.read_text().splitlines() == ["began", "stopping"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_ends_with_the_python_that_began_it(tmp_path: pathlib.Path, how: signal.Signals) -> None:
    store, begun = tmp_path / "s", tmp_path / "begun"
    wrapper = tmp_path / "diglot"
    wrapper.write_text(f'#!/bin/sh\ntouch {begun}\n{program()} "$@"\n')
    wrapper.chmod(0o755)
    diglot.run(SITES, store=store, until="ingest")

    def is_held() -> bool:
        with open(store / "lock") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    # It waits for an archive that never comes; a process that was forked meanwhile lives on.
    script = (
        "import diglot, os, threading, time\n"
        "def fork():\n"
        "    time.sleep(1)\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(20)\n"
        "        os._exit(0)\n"
        "threading.Thread(target=fork, daemon=True).start()\n"
        f"diglot.run('-', store={str(store)!r})\n"
    )
    user = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "DIGLOT": str(wrapper)}, stdin=subprocess.PIPE
    )
    try:
        while not begun.exists():
            assert user.poll() is None
            time.sleep(0.05)
        time.sleep(3)
        assert is_held()
        user.send_signal(how)
        user.wait()
        until = time.monotonic() + 2
        while is_held():
            assert time.monotonic() < until, "the run goes on"
            time.sleep(0.05)
    finally:
        user.kill()
        user.wait()
        assert user.stdin is not None
        user.stdin.close()


def test_inputs_that_are_not_there_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(diglot.DiglotError, match=r"no\.warc: no such file or folder") as caught:
        diglot.run([SITES, "no.warc"], store=tmp_path / "s")
    assert caught.value.exit_code == 1
    with pytest.raises(diglot.DiglotError, match="was skipped"):
        diglot.run([SITES, "no.warc"], store=tmp_path / "s", keep_going=True)
    assert diglot.open(tmp_path / "s").counts()["pairs"] == 96


def test_a_store_that_is_written_to_answers_and_refuses_another_run(tmp_path: pathlib.Path) -> None:
    store = diglot.run(SITES, store=tmp_path / "s", until="keys").store
    # Holds the store while it waits for its input.
    other = subprocess.Popen([program(), "run", "--store", store.path, "-"], stdin=subprocess.PIPE)
    try:
        with pytest.raises(diglot.DiglotError, match="another process") as caught:
            for _ in range(50):
                diglot.run(store=store.path, until="keys")
        assert caught.value.exit_code == 1
        assert store.keys().num_rows == 9
    finally:
        other.kill()
        other.communicate()
