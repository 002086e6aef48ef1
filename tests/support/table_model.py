"""The table as the contract words it, in memory: what must be answered to anything, and what is the case afterwards.

It shares the rules of the games with the service, which have their own proofs, and nothing else. A refusal is a pair of
status and code; None means that the request succeeds, and then the method of the same name without `refuse_` is called.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import msgspec

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import IllegalMove, NotYourTurn, RulesError
from engines.kit.game import Game, Step

Refusal = tuple[int, str] | None
Fact = tuple[int, str, int | None, Any]
"""(version, type, seat, data) of an event."""
Who = int | str | None
"""Whose token: a seat's number, "host", or None for nobody's."""


def plain(value: Any) -> Any:
    """As JSON."""
    return json.loads(msgspec.json.encode(value))


@dataclass
class ModelSeat:
    kind: str = "open"
    name: str | None = None
    token: str | None = None
    claim: int = 0
    resigned: bool = False


@dataclass
class TableModel:
    """One match. `feed` holds every event, `moves` every accepted move, `positions` the state at each version."""

    game: Game
    size: int
    seed: str
    on_absent: str
    host_can_abort: bool
    policy: str
    visibility: str
    host: str
    dead: list[str] = field(default_factory=list)
    status: str = "waiting"
    seats: list[ModelSeat] = field(default_factory=list)
    feed: list[Fact] = field(default_factory=list)
    moves: list[tuple[int, Any, str]] = field(default_factory=list)
    positions: list[Any] = field(default_factory=list)
    move_keys: dict[tuple[int, str], tuple[Any, bytes]] = field(default_factory=dict)
    claim_keys: dict[str, tuple[Any, int, int]] = field(default_factory=dict)
    claims: int = 0

    def __post_init__(self) -> None:
        self.seats = [ModelSeat() for _ in range(self.size)]
        self._tell("match_created", None, {})

    # -- what is the case ---------------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        return len(self.moves)

    @property
    def over(self) -> bool:
        return self.status in ("finished", "aborted")

    @property
    def state(self) -> Any:
        return self.positions[-1] if self.positions else None

    @property
    def to_move(self) -> list[int]:
        return list(self.game.to_move(self.state)) if self.status == "playing" else []

    @property
    def outcome(self) -> Any:
        return None if self.state is None else plain(self.game.outcome(self.state))

    def view(self, viewer: int | None, version: int | None = None) -> Any:
        if self.state is None:
            return None
        return plain(self.game.view_for(self.state if version is None else self.positions[version], viewer))

    def legal(self, seat: int) -> list[Any]:
        """The moves themselves."""
        return list(self.game.legal_moves(self.state, seat)) if seat in self.to_move else []

    def legal_moves(self, seat: int) -> Any:
        """What the match's policy tells of them."""
        told: dict[str, Any] = {"version": self.version, "to_move": self.to_move, "count": None, "moves": None}
        if self.policy != "none":
            moves = plain(self.legal(seat))
            told |= {"count": len(moves), "moves": moves if self.policy == "full" else None}
        return told

    def who(self, token: str | None) -> Who:
        if token is None:
            return None
        if token == self.host:
            return "host"
        return next((number for number, seat in enumerate(self.seats) if seat.token == token), None)

    # -- at a seat ----------------------------------------------------------------------------------------------------

    def refuse_seat(self, seat: int, token: str | None) -> Refusal:
        """What a seat's own addresses refuse first."""
        if seat >= self.size:
            return (404, "unknown_seat")
        who = self.who(token)
        if who is None:
            return (401, "unauthenticated")
        return None if who == seat else (403, "wrong_seat")

    def refuse_move(self, seat: int, token: str | None, move: Any, expected: int | None, key: str | None) -> Refusal:
        if refusal := self.refuse_seat(seat, token):
            return refusal
        if key is not None and (seat, key) in self.move_keys:
            return None if self.move_keys[seat, key][0] == body_of(move, expected) else (422, "idempotency_mismatch")
        if self.status == "waiting":
            return (409, "match_waiting")
        if self.over:
            return (409, "match_over")
        anytime = move.__struct_config__.tag in self.game.anytime
        if expected not in (None, self.version) and not anytime:
            return (409, "stale_version")
        try:
            self.game.check(self.state, seat, move)
        except NotYourTurn:
            return (409, "not_your_turn")
        except IllegalMove:
            return (422, "illegal_move")
        return None

    def move(self, seat: int, move: Any) -> None:
        if self.seats[seat].resigned:
            self.seats[seat].resigned = False
            self._tell("seat_taken_over", seat, {"by": "player", "bot": None})
        self._play(seat, move, "player")
        self._play_for_the_absent()

    def since(self, version: int) -> list[Fact]:
        return [fact for fact in self.feed if fact[0] > version]

    # -- sitting down and getting up ----------------------------------------------------------------------------------

    def refuse_claim(self, token: str | None, body: dict[str, Any], code: str | None, key: str | None) -> Refusal:
        """`code` is the match's join code."""
        if token is not None and self.who(token) is None:
            return (401, "unauthenticated")
        if (body.get("seat") or 0) >= self.size:
            return (422, "invalid")
        if self.visibility == "unlisted" and self.who(token) != "host" and body.get("join_code") != code:
            return (403, "wrong_join_code")
        if key in self.claim_keys:
            first, seat, claim = self.claim_keys[key]
            if first != body:
                return (422, "idempotency_mismatch")
            return None if self.seats[seat].claim == claim else (409, "seat_taken")
        if self.status != "waiting":
            return (409, "match_over" if self.over else "match_started")
        wanted = body.get("seat")
        return None if wanted is None or self.seats[wanted].kind == "open" else (409, "seat_taken")

    def claim(self, body: dict[str, Any], key: str | None, token: str) -> tuple[int, bool]:
        """(seat, whether it is a repeat)."""
        if key in self.claim_keys:
            seat = self.claim_keys[key][1]
            self.renew(seat, token, "seat")
            return seat, True
        wanted = body.get("seat")
        seat = next(n for n, one in enumerate(self.seats) if one.kind == "open") if wanted is None else wanted
        self.claims += 1
        self.seats[seat] = ModelSeat("player", body["name"], token, self.claims)
        if key is not None:
            self.claim_keys[key] = (body, seat, self.claims)
        self._tell("seat_claimed", seat, {"name": body["name"], "kind": "player"})
        if all(one.kind == "player" for one in self.seats):
            self._start()
        return seat, False

    def refuse_leave(self, seat: int, token: str | None) -> Refusal:
        if seat >= self.size:
            return (404, "unknown_seat")
        who = self.who(token)
        if who is None:
            return (401, "unauthenticated")
        if who != seat and not (who == "host" and self.status == "waiting"):
            return (403, "wrong_seat")
        return (409, "match_over") if self.over else None

    def leave(self, seat: int) -> None:
        held = self.seats[seat]
        if self.status == "waiting":
            if held.kind == "player":
                self._kill(held.token)
                self.seats[seat] = ModelSeat()
                self._tell("seat_freed", seat, {})
        elif not held.resigned:
            held.resigned = True
            self._tell("seat_resigned", seat, {"on_absent": self.on_absent})
            if self.on_absent == "abort":
                self._abort("resigned")
            else:
                self._play_for_the_absent()

    def refuse_renew(self, seat: int, token: str | None) -> Refusal:
        if seat >= self.size:
            return (404, "unknown_seat")
        who, held = self.who(token), self.seats[seat]
        if who is None:
            return (401, "unauthenticated")
        if who != seat and not (who == "host" and (self.status == "waiting" or held.resigned)):
            return (403, "wrong_seat")
        return (409, "match_waiting") if held.kind == "open" else None

    def renew(self, seat: int, fresh: str, by: str) -> None:
        self._kill(self.seats[seat].token)
        self.seats[seat].token = fresh
        self._tell_renewed(seat, by)

    def renew_host(self, fresh: str) -> None:
        self._kill(self.host)
        self.host = fresh
        self._tell_renewed(None, "host")

    def refuse_abort(self, token: str | None) -> Refusal:
        who = self.who(token)
        if who is None:
            return (401, "unauthenticated")
        if who != "host":
            return (403, "host_only")
        if self.status == "playing" and not self.host_can_abort:
            return (409, "match_started")
        return (409, "match_over") if self.over else None

    def abort(self) -> None:
        self._abort("host")

    # -- what follows -------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self.status = "playing"
        self._tell("match_started", None, {})
        self._follow(self.game.setup(self.game.options(), self.size, Chance(fixed_seed(self.seed))))

    def _play(self, seat: int, move: Any, cause: str) -> None:
        step = self.game.apply(self.state, seat, move)
        self.moves.append((seat, plain(move), cause))
        self._follow(step)

    def _play_for_the_absent(self) -> None:
        game = self.game
        while absent := [seat for seat in self.to_move if self.seats[seat].resigned]:
            legal = game.legal_moves(self.state, absent[0])
            self._play(absent[0], game.default_move(game.view_for(self.state, absent[0]), legal), "clock")

    def _follow(self, step: Step) -> None:
        self.positions.append(step.state)
        for event in step.events:
            self._tell(event.type, event.seat, plain(event.data))
        if self.game.outcome(step.state) is not None:
            self.status = "finished"

    def _abort(self, reason: str) -> None:
        self.status = "aborted"
        self._tell("match_aborted", None, {"reason": reason})

    def _tell(self, type: str, seat: int | None, data: Any) -> None:
        self.feed.append((self.version, type, seat, data))

    def _tell_renewed(self, seat: int | None, by: str) -> None:
        if not self.over:
            self._tell("token_renewed", seat, {"by": by})

    def _kill(self, token: str | None) -> None:
        if token is not None:
            self.dead.append(token)


def body_of(move: Any, expected: int | None) -> dict[str, Any]:
    """The request that makes this move."""
    return {"move": plain(move)} if expected is None else {"move": plain(move), "expected_version": expected}


def accepted(game: Game, state: Any, seat: int, move: Any) -> bool:
    """Do the rules take this move?"""
    try:
        game.check(state, seat, move)
    except RulesError:
        return False
    return True
