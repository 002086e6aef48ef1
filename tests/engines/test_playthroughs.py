"""Recorded matches of every game and number of seats still go as written down (tests/support/playthrough.py)."""

import pytest

from engines import GAMES
from tests.engines.walks import Table, tables
from tests.support.playthrough import FOLDER, check_playthrough

TABLES = {f"{table.game.key}-{table.seats}": table for game in GAMES.values() for table in reversed(tables(game))}
"""The first arrangement of each number of seats: the default options, where they allow that number."""


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_the_match_goes_as_recorded(table: Table) -> None:
    check_playthrough(table)


def test_there_is_no_recording_of_anything_else() -> None:
    assert {path.stem for path in FOLDER.iterdir()} <= set(TABLES)
