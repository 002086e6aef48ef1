"""Recorded playthroughs: whole matches written down so that a person can read them, and a diff shows what changed.

Each is a text file in tests/engines/playthroughs/, one for every game and number of seats, from a fixed deal and seeded
random moves. A test compares them with what the engines do now. When a change is meant, record them anew and read
the diff:

    RECORD_PLAYTHROUGHS=1 python -m pytest tests/engines/test_playthroughs.py
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from engines.kit.game import Event
from tests.engines.walks import Table, Walk, hooks_of, walk

FOLDER = Path(__file__).parents[1] / "engines" / "playthroughs"
RECORD = "RECORD_PLAYTHROUGHS"
TRIES = 10
GOOD_LENGTH = 60
"""Of ten matches the one with the number of moves nearest to this is recorded: enough to show, and to read."""


def check_playthrough(table: Table) -> None:
    """The file says what the engines do now. With the environment variable it is written instead."""
    path = FOLDER / f"{table.game.key}-{table.seats}.txt"
    text = "\n".join(_lines(table)) + "\n"
    if os.environ.get(RECORD):
        path.write_text(text)
    hint = f"record with {RECORD}=1 python -m pytest tests/engines/test_playthroughs.py, then read the diff"
    assert path.exists(), f"there is no {path.name}: {hint}"
    assert path.read_text() == text, f"{path.name} tells another story: {hint}"


def _lines(table: Table) -> Iterator[str]:
    seed, played = min(_tries(table), key=lambda tried: abs(len(tried[1].turns) - GOOD_LENGTH))
    picture = _Picture(table)
    yield f"{table.game.title} with {table.seats} seats, options {_json(table.options)}, seed {seed!r}"
    yield f"rules version {table.game.rules_version}; {picture.caption}"
    yield ""
    yield "version 0"
    yield from _events(played.start.events)
    yield from picture.of(played.start.state)
    for turn in played.turns:
        yield ""
        yield f"version {turn.version}: seat {turn.seat} {_json(turn.move)}"
        yield from _events(turn.step.events)
        yield from picture.of(turn.step.state)
    yield ""
    yield f"outcome {_json(table.game.outcome(played.states()[-1]))}"


def _tries(table: Table) -> Iterator[tuple[str, Walk]]:
    for n in range(TRIES):
        yield f"playthrough/{n}", walk(table, f"playthrough/{n}", anytime=0.1)


def _events(events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        who = "nobody" if event.seat is None else f"seat {event.seat}"
        yield f"  {event.type}, {who}: {_json(event.data)}"


class _Picture:
    """The position in a few lines: by the game's hook `picture(state)` if it has one, else what has changed in the
    spectator's view."""

    def __init__(self, table: Table) -> None:
        self.game = table.game
        hooks = hooks_of(table.game)
        self.draw = getattr(hooks, "picture", self._changes)
        self.caption = "all cards open" if hasattr(hooks, "picture") else "what changes in a spectator's view"
        self.last: Any = {}

    def of(self, state: Any) -> Iterator[str]:
        for line in self.draw(state):
            yield f"    {line}"
        movers = self.game.to_move(state)
        if movers:
            offers = ", ".join(f"seat {seat} of {len(self.game.legal_moves(state, seat))}" for seat in movers)
            yield f"    may choose: {offers} moves"

    def _changes(self, state: Any) -> list[str]:
        now = msgspec.json.decode(_json(self.game.view_for(state, None)))
        changes = [f"{path.lstrip('.')} {change}" for path, change in _differences("", self.last, now)]
        self.last = now
        return ["; ".join(changes)] if changes else []


def _differences(path: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Where two JSON values differ, and how, as deep as their shapes agree; of a grown list what was added."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name, value in new.items():
            yield from _differences(f"{path}.{name}", old.get(name), value)
    elif isinstance(old, list) and isinstance(new, list) and len(new) > len(old) and new[: len(old)] == old:
        yield path, "+ " + ", ".join(map(_json, new[len(old) :]))
    elif isinstance(old, list) and isinstance(new, list) and len(new) == len(old):
        for n, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{path}[{n}]", before, after)
    else:
        yield path, _json(new)


def _json(thing: Any) -> str:
    return msgspec.json.encode(thing).decode()
