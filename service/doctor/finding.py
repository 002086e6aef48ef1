"""What the doctor says of one thing."""

from collections.abc import Iterable
from typing import Literal

import msgspec

Verdict = Literal["ok", "look", "wrong"]
"""`look`: it works, and somebody should know of it. `wrong`: something will fail, or be lost."""

ORDER: tuple[Verdict, ...] = ("ok", "look", "wrong")


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at: what it is, what was seen, and (`do`, empty if nothing) what to change."""

    check: str
    verdict: Verdict
    says: str
    do: str = ""


def ok(check: str, says: str) -> Finding:
    """All is well."""
    return Finding(check, "ok", says)


def look(check: str, says: str, do: str) -> Finding:
    """Somebody should know of it."""
    return Finding(check, "look", says, do)


def wrong(check: str, says: str, do: str) -> Finding:
    """Something will fail, or be lost."""
    return Finding(check, "wrong", says, do)


def unseen(check: str, what: str) -> Finding:
    """It could not be seen, as on managed servers that keep it to themselves: no reason to worry, and no comfort."""
    return Finding(check, "ok", f"could not be seen: the server does not tell {what}")


def worst(findings: Iterable[Finding]) -> Verdict:
    """The gravest of the verdicts."""
    return max((finding.verdict for finding in findings), key=ORDER.index, default="ok")
