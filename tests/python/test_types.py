"""The package is typed from end to end."""

import subprocess
import sys

import pytest
from conftest import ROOT


def test_types_agree() -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", "src/python/diglot", "tests/python"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
