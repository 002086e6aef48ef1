"""What schemathesis lacks to get past the door: matches that are there, tokens that open them, moves that are legal.

Of the requests to a match most are pointed at a live one, and most of these carry the right token; the others stay as
they were made. Whatever is decided here is decided by counting, so that a run can be had again.
"""

import atexit
import itertools
import json
import os
import urllib.request
from collections import Counter
from typing import Any
from urllib.parse import urlencode

import schemathesis
from schemathesis.core.parameters import ParameterLocation

from engines import GAMES

BASE = os.environ["SHOREBREAK_URL"]
SEATS = 2
LONGEST_QUERY = 3_000

hosts: dict[str, str] = {}
tokens: dict[tuple[str, int], str] = {}
live: dict[str, list[str]] = {game: [] for game in GAMES}
turn = itertools.count()
reached: Counter[str] = Counter()


@atexit.register
def tell() -> None:
    """Leave behind how often each operation answered with which status."""
    with open(os.environ["REACHED_FILE"], "w") as file:
        json.dump(reached, file)


@schemathesis.hook
def filter_query(context: Any, query: dict[str, Any] | None) -> bool:
    """A request line that is too long is refused before there is a request: with 414, which is no operation's."""
    return not query or len(urlencode(query, doseq=True)) < LONGEST_QUERY


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Point the request at a live match, give it a token and, if it is a move, a legal one."""
    path, number = case.operation.path, next(turn)
    if str(case.query.get("wait_s", "")).isdigit():
        case.query["wait_s"] = min(int(case.query["wait_s"]), number % 20 == 0)  # waiting is tested elsewhere
    if "{match}" not in path or is_negative(case, ParameterLocation.PATH):
        return
    if case.path_parameters["match"] not in hosts and number % 5:
        case.path_parameters["match"] = live_match(path.split("/")[3], number)
        if "seat" in case.path_parameters:
            case.path_parameters["seat"] = number % SEATS
    match = case.path_parameters["match"]
    token = token_for(case, match, number)
    if token is not None and not is_negative(case, ParameterLocation.HEADER):
        case.headers["Authorization"] = f"Bearer {token}"
        case._has_explicit_auth = True  # so that the check `ignored_auth` asks again without it, and with a wrong one
        if path.endswith("/moves") and number % 3 and not is_negative(case, ParameterLocation.BODY):
            play_a_legal_move(case, token, number)


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Remember tokens; forget matches that are over."""
    reached[f"{case.operation.definition.raw['operationId']} {response.status_code}"] += 1
    if response.status_code == 201:
        learn(json.loads(response.content))
    if case.method == "DELETE" and response.status_code == 200:
        match = case.path_parameters["match"]
        for matches in live.values():
            if match in matches:
                matches.remove(match)


def is_negative(case: Any, place: Any) -> bool:
    """Whether this part of the request is wrong on purpose."""
    part = None if case.meta is None else case.meta.components.get(place)
    return part is not None and part.mode.is_negative


def token_for(case: Any, match: str, number: int) -> str | None:
    """The token that opens this, at times another one, at times none."""
    if number % 7 == 0:
        return None
    if "seat" in case.path_parameters and number % 11:
        return tokens.get((match, case.path_parameters["seat"]))
    return hosts.get(match)


def play_a_legal_move(case: Any, token: str, number: int) -> None:
    """Put a legal move in place of the one that was made up, if the seat is to move."""
    path = case.formatted_path.removesuffix("/moves")
    moves = ask("GET", f"{path}/legal-moves", token=token).get("moves")
    if moves and isinstance(case.body, dict):
        case.body = {"move": moves[number % len(moves)]}


def live_match(game: str, number: int) -> str:
    """One of a few matches of this game: waiting for a player, or in play."""
    matches = live[game]
    while len(matches) < 4:
        made = ask("POST", f"/v1/games/{game}/matches", {"seats": SEATS, "host_can_abort": True})
        learn(made)
        for seat in range(1 if len(matches) == 0 else SEATS):
            learn(ask("POST", f"/v1/games/{game}/matches/{made['match']['match']}/seats", {"name": f"Seat {seat}"}))
        matches.append(made["match"]["match"])
    return matches[number % len(matches)]


def learn(answer: dict[str, Any]) -> None:
    """Keep the tokens that this answer of 201 holds."""
    if "host_token" in answer:
        hosts[answer["match"]["match"]] = answer["host_token"]
    if "token" in answer:
        tokens[answer["match"], answer["seat"]] = answer["token"]


def ask(method: str, path: str, body: Any = None, token: str | None = None) -> dict[str, Any]:
    """A request of our own; a refusal gives nothing."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{BASE}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError:
        return {}
