"""What is the position?

Everything is in integers and tuples, so that a state packs small. A card is its id everywhere (§1.4); its face is
looked up in `deck`, so that nothing but the view ever turns an id into a face that somebody sees.
"""

from typing import Literal

import msgspec

from engines.wave.cards import DECK_SIZE

Termination = Literal["all_played", "stuck", "misfit"]


class WaveHand(msgspec.Struct, frozen=True, array_like=True):
    """The cards of one seat, by who sees them; each list in the order in which the cards came. Rules: §3.2, W4."""

    holder: tuple[int, ...]
    """Facing their holder: he sees them, nobody else does."""
    team: tuple[int, ...]
    """Facing the team: everyone at the table sees them but their holder."""

    def __contains__(self, card: int) -> bool:
        return card in self.holder or card in self.team

    def ids(self) -> tuple[int, ...]:
        """All cards in the order in which they came. Ids run in that order, so it is the ascending one."""
        return tuple(sorted(self.holder + self.team))


class WaveSilver(msgspec.Struct, frozen=True, array_like=True):
    """The third place of the two-seat game. Rules: §7."""

    face_up: tuple[int, ...]
    """In the order in which they came to lie face up."""
    face_down: tuple[int, ...]
    """The next to be turned up comes first."""
    proposals: tuple[int | None, int | None] = (None, None)
    """By seat: its standing proposal for Silver's present turn."""
    used: tuple[int, int] = (0, 0)
    """By seat: how many proposals it has made in Silver's present turn."""


class WaveTold(msgspec.Struct, frozen=True, array_like=True):
    """A tip that was given. Rules: §6."""

    seat: int
    about: int
    says: int
    """An index into `SAYS`."""
    mine: int | None
    version: int
    """The version of the match that this tip made."""


class WaveState(msgspec.Struct, frozen=True, array_like=True):
    """A position of Wave, with all that is hidden."""

    strict: bool
    tips_per_turn: int
    deck: bytes
    """The faces in the order in which cards leave the pile: the card with id n has the face deck[n - 1]."""
    drawn: int
    """How many cards have left the pile, which is also the newest id."""
    discard: tuple[int, ...]
    """Oldest first: the last is the top."""
    clockwise: bool
    turn: int
    """The place whose turn it is: a seat, or the number of seats for Silver. Stays as it was when the match ends."""
    hands: tuple[WaveHand, ...]
    """By seat."""
    silver: WaveSilver | None
    """With two seats only."""
    misfits: tuple[int, ...]
    """Cards of the present turn that were tried and do not fit the top, in the order of trying. Rules: §4.5, W2."""
    tips: tuple[WaveTold, ...]
    """Those whose cards are all still in hands or with Silver, oldest first."""
    told: tuple[int, ...]
    """By seat: tips given since the top of the discard pile last changed. Rules: §6.4."""
    version: int
    """Accepted moves so far, tips included."""
    termination: Termination | None = None
    """Why it is over; None while it runs."""

    @property
    def top(self) -> int:
        """The face on top of the discard pile."""
        return self.deck[self.discard[-1] - 1]

    @property
    def pile(self) -> int:
        """How many cards the draw pile has left."""
        return DECK_SIZE - self.drawn

    @property
    def silver_turn(self) -> bool:
        """Is it Silver's turn, or was it when the match ended?"""
        return self.turn == len(self.hands)

    @property
    def remaining(self) -> int:
        """All cards that are not on the discard pile: hands, draw pile, all of Silver's. Rules: §8.3, W5."""
        return DECK_SIZE - len(self.discard)
