"""How did the team do?"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engines.wave.state import Termination, WaveState

Rating = Literal["perfect", "super", "good", "fair", "wipeout"]


class WaveOutcome(msgspec.Struct, frozen=True):
    """How a match of Wave ended; all seats win or lose together."""

    termination: Termination
    remaining: Annotated[int, Meta(description="Cards that never reached the discard pile, 0 to 33.")]
    rating: Rating
    returns: Annotated[tuple[int, ...], Meta(description="By seat, the same for each: minus the remaining cards.")]


def rate(remaining: int) -> Rating:
    """The word for a number of remaining cards. Rules: §8.4, W11."""
    if remaining == 0:
        return "perfect"
    if remaining <= 2:
        return "super"
    if remaining <= 5:
        return "good"
    if remaining <= 10:
        return "fair"
    return "wipeout"


def outcome(state: WaveState) -> WaveOutcome | None:
    """How the match ended, or None while it runs. Rules: §8, W5, W11."""
    if state.termination is None:
        return None
    remaining = state.remaining
    return WaveOutcome(state.termination, remaining, rate(remaining), (-remaining,) * len(state.hands))
