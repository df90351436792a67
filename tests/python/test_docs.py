"""What the documentation shows runs."""

import pathlib
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from conftest import ROOT


def test_the_examples_of_the_documentation_run_one_after_another(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ["pandas", "polars", "duckdb"]:
        pytest.importorskip(module)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    assert "host:en:fr" in printed
    assert "stage 7 of 7, align" in printed
    assert "the nearest URL it has is" in printed
    assert "below 0.99" in printed
    assert pq.read_table("en-fr.parquet")["score"].to_numpy().min() >= 0.9


def test_the_example_makes_training_data(tmp_path: pathlib.Path) -> None:
    example, archive = ROOT / "tests" / "python" / "example.py", ROOT / "data" / "sites"
    command = [sys.executable, example, archive, "en,fr", "en.packaging.site.test", tmp_path]
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    train, test = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("train", "test"))
    assert ended.stdout == f"train: {train.num_rows} sentence pairs, test: {test.num_rows}\n"
    assert min(train.num_rows, test.num_rows) > 50
    assert "stage 7 of 7, align" in ended.stderr
