"""`python -m service` tells a newcomer what it can do."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.settings import Settings
from tests.run.running import ROOT

COMMANDS = ["run", "web", "worker", "doctor", "openapi", "verify"]


def asked(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "REDIS_URL": "", **settings}
    return subprocess.run(
        [sys.executable, "-m", "service", *words], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60
    )


def test_the_help_lists_every_command() -> None:
    told = asked("--help")
    assert told.returncode == 0
    assert [command for command in COMMANDS if f"\n    {command} " not in told.stdout] == []


@pytest.mark.parametrize("command", ["run", "web", "worker"])
def test_what_settings_set_up_lists_every_one(command: str) -> None:
    told = asked(command, "--help")
    assert told.returncode == 0
    names = [field.name.upper() for field in dataclasses.fields(Settings)]
    assert [name for name in names if f"\n  {name} " not in told.stdout] == []


def test_a_command_that_is_none_names_those_that_are() -> None:
    told = asked("walk")
    assert told.returncode == 2
    assert [command for command in COMMANDS if command not in told.stderr] == []


@pytest.mark.parametrize("command", ["run", "web", "worker"])
def test_a_wrong_setting_ends_each_of_them_with_code_2_and_a_sentence(command: str) -> None:
    ended = asked(command, PORT="abc")
    assert ended.returncode == 2, ended.stderr
    assert "PORT is 'abc'; allowed is a whole number" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", ["web", "worker"])
def test_a_part_alone_says_that_it_needs_a_store(command: str) -> None:
    ended = asked(command)
    assert ended.returncode == 2, ended.stderr
    assert "REDIS_URL is not set." in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_server_of_its_own_has_no_replicas_to_wait_for(tmp_path: Path) -> None:
    ended = asked("run", STORE_REPLICAS="1", DATA_DIR=str(tmp_path))
    assert ended.returncode == 2, ended.stderr
    assert "STORE_REPLICAS is 1, and the Redis server that is started here has no replicas." in ended.stderr
