"""How does a match begin? Rules: §2, §3.1, §7.1."""

from engines.kit.chance import Chance
from engines.kit.game import Step
from engines.wave.cards import DECK_SIZE
from engines.wave.options import WaveOptions, check_options
from engines.wave.state import WaveHand, WaveSilver, WaveState
from engines.wave.turns import begin_turn

SEEN_CARDS = 3
UNSEEN_CARDS = 2
"""What each seat is dealt first: cards that face their holder, then cards that face the team. Rules: §2.3."""
SILVER_FACE_DOWN = 2
SILVER_FACE_UP = 3


def setup(options: WaveOptions, seats: int, chance: Chance) -> Step:
    """The position at version 0. The only event there can be is the end: the first seat may be stuck at once (W3).

    Raises InvalidOptions as `check_options` does. From the top of the pile come: the starting discard (it never turns
    the direction, W1), three cards to seat 0, three to seat 1 and so on, two to each in the same order, and with two
    seats Silver's two face-down and three face-up cards. Rules: §2, §3.1, §7.1, §8.2.
    """
    check_options(options, seats)
    shuffled = chance.shuffle("deck", range(DECK_SIZE))
    ids = iter(range(1, DECK_SIZE + 1))

    def deal(count: int) -> tuple[int, ...]:
        return tuple(next(ids) for _ in range(count))

    discard = deal(1)
    seen = [deal(SEEN_CARDS) for _ in range(seats)]
    unseen = [deal(UNSEEN_CARDS) for _ in range(seats)]
    silver = None
    if seats == 2:
        face_down = deal(SILVER_FACE_DOWN)
        silver = WaveSilver(face_up=deal(SILVER_FACE_UP), face_down=face_down)
    state = WaveState(
        strict=options.strict,
        tips_per_turn=options.tips_per_turn,
        deck=bytes(reversed(shuffled)),
        drawn=next(ids) - 1,
        discard=discard,
        clockwise=True,
        turn=options.first_seat,
        hands=tuple(WaveHand(holder, team) for holder, team in zip(seen, unseen, strict=True)),
        silver=silver,
        misfits=(),
        tips=(),
        told=(0,) * seats,
        version=0,
    )
    return begin_turn(state, [])
