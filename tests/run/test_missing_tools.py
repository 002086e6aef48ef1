"""A test that needs node is skipped aloud where there is none, and fails where `make check` demands it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def lonely(tmp_path: Path) -> Path:
    """A test that needs node, to be run where there is none."""
    file = tmp_path / "test_lonely.py"
    file.write_text("import pytest\n\n@pytest.mark.node\ndef test_of_the_document():\n    pass\n")
    return file


def run(file: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest", str(file)]
    environ = {name: value for name, value in os.environ.items() if name != "REQUIRE_NODE"}
    environ |= {"PATH": str(file.parent), **variables}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)


def test_without_node_it_is_skipped_aloud(lonely: Path) -> None:
    tested = run(lonely)
    assert tested.returncode == 0
    assert "NOT TESTED HERE" in tested.stdout
    assert "test_of_the_document: needs node" in tested.stdout
    assert "1 skipped" in tested.stdout


def test_where_node_is_required_it_fails(lonely: Path) -> None:
    tested = run(lonely, REQUIRE_NODE="1")
    assert tested.returncode == 1
    assert "REQUIRE_NODE is set" in tested.stdout
