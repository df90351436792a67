"""The store that the README's command makes, made by `diglot.run`."""

import pathlib

import diglot
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> diglot.RunResult:
    """What the run on the sample archives has found; its folder has a name beyond ASCII."""
    return diglot.run(ROOT / "data" / "sites", store=tmp_path_factory.mktemp("größe 大") / "sample.store")


@pytest.fixture(scope="session")
def store(found: diglot.RunResult) -> diglot.Store:
    """The store of it, opened."""
    return diglot.open(found.store.path)
