"""`python -m service` tells a newcomer what it can do."""

import dataclasses
import subprocess
import sys

import pytest

from service.settings import Settings
from tests.run.running import ROOT

COMMANDS = ["run", "web", "worker", "doctor", "openapi", "verify"]


def asked(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "service", *words], cwd=ROOT, capture_output=True, text=True)


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
