"""Fixtures for the tests of the assistant that need a bundle but no training."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fake_bundle import make_bundle

from assistant.bundle.reader import Bundle


@pytest.fixture(scope="session")
def _fake_bundle_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("fake") / "harbour")


@pytest.fixture
def bundle_dir(_fake_bundle_files: Path, tmp_path: Path) -> Path:
    """A bundle's folder that the test may damage."""
    folder = tmp_path / "origin" / "harbour"
    shutil.copytree(_fake_bundle_files, folder)
    return folder


@pytest.fixture(scope="session")
def fake_bundle(_fake_bundle_files: Path) -> Bundle:
    """An opened bundle that nobody may change."""
    return Bundle.open(_fake_bundle_files)
