"""Every way in which the table refuses, in the order of the contract. The door turns codes into statuses.

    Refusal (code, sentence)
    ├── UnknownGame, UnknownMatch, UnknownSeat
    ├── Unauthenticated, WrongSeat
    ├── RateLimited (limit, retry_after_s)
    ├── Invalid (path)
    ├── WrongJoinCode, HostOnly
    ├── IdempotencyMismatch
    ├── MatchWaiting, MatchStarted, MatchOver, MatchNotFinished, SeatTaken
    ├── SeatGivenUp
    ├── StaleVersion (version, events, truncated)
    └── Busy, MatchUnreadable

The rules' own refusals (`engines.kit.errors`) and the store's (`service.store.errors`) pass through unchanged.
"""

from typing import ClassVar

import msgspec


class Refusal(Exception):
    """Base of all. `code` is stable; `sentence` says what to do, and nothing that the caller may not know."""

    code: ClassVar[str]

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class UnknownGame(Refusal):
    code = "unknown_game"


class UnknownMatch(Refusal):
    code = "unknown_match"

    def __init__(self) -> None:
        super().__init__("There is no such match of this game, or it has been forgotten.")


class UnknownSeat(Refusal):
    code = "unknown_seat"

    def __init__(self, seats: int) -> None:
        super().__init__(f"This match has the seats 0 to {seats - 1}.")


class Unauthenticated(Refusal):
    code = "unauthenticated"


class WrongSeat(Refusal):
    code = "wrong_seat"


class RateLimited(Refusal):
    """`limit` is the name of the limit that was met."""

    code = "rate_limited"

    def __init__(self, sentence: str, limit: str, retry_after_s: int) -> None:
        super().__init__(sentence)
        self.limit = limit
        self.retry_after_s = retry_after_s


class Invalid(Refusal):
    """Something asked for does not fit. `path` is a JSON path into the body, or a parameter's name after `$.`."""

    code = "invalid"

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


class WrongJoinCode(Refusal):
    code = "wrong_join_code"


class HostOnly(Refusal):
    code = "host_only"


class IdempotencyMismatch(Refusal):
    code = "idempotency_mismatch"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used before with another body. Use a fresh key for a new request.")


class MatchWaiting(Refusal):
    code = "match_waiting"


class MatchStarted(Refusal):
    code = "match_started"


class MatchOver(Refusal):
    code = "match_over"


class MatchNotFinished(Refusal):
    code = "match_not_finished"


class SeatTaken(Refusal):
    code = "seat_taken"


class SeatGivenUp(Refusal):
    """The seat was left to others, and the match does not let it be taken back."""

    code = "seat_given_up"


class StaleVersion(Refusal):
    """The match has moved on. `events` (encoded) are those since the expected version, oldest first."""

    code = "stale_version"

    def __init__(self, version: int, events: list[msgspec.Raw], truncated: bool) -> None:
        super().__init__(f"The match is at version {version}. Look at what has happened since, then decide anew.")
        self.version = version
        self.events = events
        self.truncated = truncated


class Busy(Refusal):
    code = "busy"

    def __init__(self) -> None:
        super().__init__("Others kept writing to this match at the same time. Nothing was written; send it again.")


class MatchUnreadable(Refusal):
    """The record is there, but this server can't read it; it is left as it is."""

    code = "match_unreadable"
