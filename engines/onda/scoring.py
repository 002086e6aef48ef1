"""What a round costs, who starts the next one, and who wins. Rules: RULES.md §8.3, §9.2, §9.4; O12, O14, O18, O19."""

from typing import Annotated, Literal

import msgspec

from engines.onda.cards import NUMBER, Pile, codes, dots

START_POINTS = 50
FOR_GOING_OUT = 3
FACE_DOWN_COSTS = 3


class OndaOutcome(msgspec.Struct, frozen=True):
    """How a match ended. Lists have one entry for each seat, but for `winners`."""

    termination: Literal["rounds_played"]
    points: tuple[int, ...]
    went_out: Annotated[tuple[int, ...], msgspec.Meta(description="How many rounds each seat went out in.")]
    winners: Annotated[tuple[int, ...], msgspec.Meta(description="The winning seats, ascending; several share.")]
    returns: Annotated[tuple[int, ...], msgspec.Meta(description="The points.")]


def changes(out: int, hands: tuple[Pile, ...], face_down: tuple[Pile, ...]) -> tuple[int, ...]:
    """What each seat wins or loses when seat `out` has gone out, which loses nothing. Rules: §8.3, O12."""
    return tuple(
        FOR_GOING_OUT if seat == out else -cost_of(hand) - FACE_DOWN_COSTS * aside.bit_count()
        for seat, (hand, aside) in enumerate(zip(hands, face_down, strict=True))
    )


def cost_of(hand: Pile) -> int:
    """The dots on these cards, which are points lost. Rules: §8.3."""
    return sum(dots(NUMBER[card]) for card in codes(hand))


def next_starter(points: tuple[int, ...], out: int) -> int:
    """Who starts the next round: the fewest points; ties: the first clockwise from after `out`. Rules: §9.2, O14."""
    seats = len(points)
    clockwise = [(out + step) % seats for step in range(1, seats + 1)]
    return min(clockwise, key=points.__getitem__)


def final_outcome(points: tuple[int, ...], went_out: tuple[int, ...]) -> OndaOutcome:
    """Most points win, then most rounds gone out; who is still level shares the victory. Rules: §9.4, O19."""
    standing = list(zip(points, went_out, strict=True))
    best = max(standing)
    winners = tuple(seat for seat, each in enumerate(standing) if each == best)
    return OndaOutcome("rounds_played", points, went_out, winners, points)
