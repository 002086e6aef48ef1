"""No stored layout changes by accident: what the code stores is what the newest set says, and sets follow the rules."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from engines import GAMES
from tests.layouts import record
from tests.layouts.recorded import Keys, read_set, version_now, versions
from tests.layouts.schemas import Shape, faults, shapes_now
from tests.support.server import RedisServer, redis_server

HINT = "docs/decisions/0014-how-layouts-change.md says what may change and how; then make layouts"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as server:
        yield server


def test_what_this_version_stores_is_recorded() -> None:
    newest = read_set(versions()[-1])
    now = shapes_now()
    assert now.keys() == newest.shapes.keys(), HINT
    for part in now:
        assert now[part] == newest.shapes[part], f"what is stored of {part} has changed: {HINT}"


def test_the_newest_set_is_of_this_version_or_of_an_earlier_one_that_stored_the_same() -> None:
    assert record.released(versions()[-1]) or versions()[-1] == version_now(), "a set of a version that never was"


def test_no_set_breaks_what_an_earlier_one_promised() -> None:
    assert record.broken_promises(shapes_now()) == [], HINT
    for earlier, later in pairwise(read_set(version) for version in versions()):
        for part, shapes in earlier.shapes.items():
            if part in later.shapes and record.counted(earlier, part) == record.counted(later, part):
                assert faults(shapes, later.shapes[part]) == [], f"{later.version}, {part}"


WAS = {"Seat": Shape("array", ("kind: 'bot' | 'open'", "token: bytes", "bot: str | None = null"))}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(("kind: 'bot' | 'open'", "token: bytes", "bot: str | None = null"), id="as it was"),
        pytest.param(
            ("kind: 'bot' | 'open'", "token: bytes", "bot: str | None = null", "left: int = 0"), id="one at the end"
        ),
        pytest.param(("kind: 'bot' | 'open' | 'robot'", "token: bytes", "bot: str | None = null"), id="a choice more"),
    ],
)
def test_what_may_change_by_itself(fields: tuple[str, ...]) -> None:
    assert faults(WAS, {"Seat": Shape("array", fields), "Other": Shape("map", ())}) == []


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(Shape("map", WAS["Seat"].fields), id="packed in another way"),
        pytest.param(Shape("array", WAS["Seat"].fields[:2]), id="a field less"),
        pytest.param(Shape("array", ("token: bytes", *WAS["Seat"].fields[::2])), id="another order"),
        pytest.param(Shape("array", ("new: int = 0", *WAS["Seat"].fields)), id="one at the beginning"),
        pytest.param(Shape("array", (*WAS["Seat"].fields, "left: int")), id="one without a default"),
        pytest.param(Shape("array", ("kind: 'open'", *WAS["Seat"].fields[1:])), id="a choice less"),
        pytest.param(Shape("array", (*WAS["Seat"].fields[:2], "bot: str | None")), id="a default less"),
        pytest.param(Shape("array", (*WAS["Seat"].fields[:2], 'bot: str | None = "x"')), id="another default"),
        pytest.param(Shape("array", ("sort: 'bot' | 'open'", *WAS["Seat"].fields[1:])), id="another name"),
    ],
)
def test_what_counts_the_layout_up(shape: Shape) -> None:
    assert len(faults(WAS, {"Seat": shape})) >= 1


def test_a_class_that_is_gone_counts_the_layout_up() -> None:
    assert faults(WAS, {}) == ["Seat is gone"]


@pytest.mark.parametrize("name", ["waiting", "middle", "safe", "finished"])
def test_keys_are_named_and_made_as_they_are_recorded(own: RedisServer, tmp_path: Path, name: str) -> None:
    game = min(GAMES)
    then = forms(read_set(versions()[-1]).matches[f"{game}-{name}"].keys)
    now = forms(record.record(own, tmp_path, game, name).keys)
    assert then <= now, f"keys are gone, or are others: {then - now}; {HINT}"
    new = {form for form in now - then if "{match}" in form[0]}
    assert not new, f"matches have keys that are not recorded: {new}; {HINT}"


def forms(keys: Keys) -> set[tuple[str, str, tuple[str, ...]]]:
    """(name, type, fields of a hash), with signs in the places of ids and keys."""
    found = set()
    for name, key in keys.items():
        form = re.sub(r"\b[0-9a-f]{24}\b", "match", name)
        form = re.sub(r":key:(move:\d+|claim):.*", r":key:\1:key", form)
        form = re.sub(r":key:move:\d+", ":key:move:seat", form)
        own = key.type == "hash" and not form.endswith(":announced")
        found.add((form, key.type, tuple(sorted(key.value)) if own else ()))
    return found


@pytest.mark.parametrize("version", versions())
def test_a_set_holds_no_match_twice(version: str) -> None:
    ids = [found.match for found in read_set(version).matches.values()]
    assert len(ids) == len(set(ids))


def test_a_released_set_is_not_recorded_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = tmp_path / "CHANGELOG.md"
    out.write_text(f"# What is new\n\n## {version_now()}, 1 June 2027\n")
    monkeypatch.setattr(record, "CHANGELOG", out)
    assert record.main() == 1
