"""The two commands on machines that lack something, and the lock files that they install from."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What make needs of a fresh clone before anything is installed."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def make(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *words], cwd=clone, capture_output=True, text=True, timeout=60)


def python_that(clone: Path, script: str) -> str:
    """A program that behaves like this Python but for what the script does."""
    path = clone / "python-here"
    path.write_text(f'#!/bin/sh\n{script}\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("target", ["run", "test"])
def test_without_ensurepip_it_says_what_to_install(clone: Path, target: str) -> None:
    lacking = python_that(clone, 'case "$*" in *ensurepip*) exit 1;; esac')
    made = make(clone, target, f"PYTHON={lacking}")
    assert made.returncode != 0
    assert "apt-get install python3-venv" in made.stderr
    assert f"python{sys.version_info.major}.{sys.version_info.minor}-venv" in made.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_is_too_old_is_named(clone: Path) -> None:
    old = python_that(clone, 'case "$*" in *"print("*) echo 3.9; exit 0;; *"(3, 11)"*) exit 1;; esac')
    made = make(clone, "run", f"PYTHON={old}")
    assert made.returncode != 0
    assert f"needs Python 3.11 or later; '{old}' is 3.9." in made.stderr
    assert "make PYTHON=" in made.stderr


def test_without_any_python_it_says_what_to_install(clone: Path) -> None:
    made = make(clone, "run", "PYTHON=no-such-python")
    assert made.returncode != 0
    assert "there is no 'no-such-python' here" in made.stderr
    assert "apt-get install python3 python3-venv" in made.stderr


def test_make_alone_lists_every_target() -> None:
    listed = make(ROOT).stdout
    for target in ("run", "test", "check", "format", "lock", "openapi", "bench", "clean"):
        assert f"make {target} " in listed


@pytest.mark.parametrize(("lock", "extra"), [("run", None), ("dev", "dev"), ("otel", "otel"), ("bench", "bench")])
def test_a_lock_file_holds_every_pin_with_hashes_and_no_address(lock: str, extra: str | None) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = project["dependencies"] + (project["optional-dependencies"][extra] if extra else [])
    text = (ROOT / f"requirements/{lock}.txt").read_text()
    entries = re.split(r"\n(?=\S)", text)
    locked = {entry.split()[0].lower().replace("_", "-") for entry in entries if not entry.startswith("#")}
    missing = {pin for pin in pins if pin.lower().replace("_", "-") not in locked}
    assert not missing, "run make lock"
    assert all("--hash=sha256:" in entry for entry in entries if not entry.startswith("#"))
    assert not re.search(r"://|--index|--find-links|-index-url", text)


def test_the_lock_file_of_node_names_no_address() -> None:
    text = (ROOT / "package-lock.json").read_text()
    assert '"resolved"' not in text
    assert '"integrity"' in text
