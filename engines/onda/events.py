"""What everybody sees happen: the `data` of each event type. Rules: RULES.md, the sections named at each."""

from typing import Annotated

import msgspec

from engines.onda.cards import OndaCard
from engines.onda.formations import BombLetter, Kind
from engines.onda.scoring import OndaOutcome
from engines.onda.state import Tide

Number = Annotated[
    int, msgspec.Meta(ge=1, le=15, description="The lowest number of the formation, the wild's included.")
]
Size = Annotated[int, msgspec.Meta(ge=1, le=4, description="The number of cards laid, the wild included.")]
Cards = Annotated[tuple[OndaCard, ...], msgspec.Meta(description="By number, green before blue.")]
CardsBySeat = Annotated[tuple[tuple[OndaCard, ...], ...], msgspec.Meta(description="One list for each seat.")]


class OndaRoundStarted(msgspec.Struct, frozen=True):
    """The cards of a round are dealt; `starter` will lead its first trick. §2, §9."""

    round: int
    starter: int
    bomb: BombLetter


class OndaBombKept(msgspec.Struct, frozen=True):
    """The starting seat left the bomb as it is. §9.3, O16."""

    bomb: BombLetter


class OndaBombSkipped(msgspec.Struct, frozen=True):
    """The starting seat moved on to the next bomb, which is `bomb`. §9.3, O16."""

    bomb: BombLetter


class OndaHasSetAside(msgspec.Struct, frozen=True):
    """The seat has put two cards face down; which, nobody learns. §2.5, O17."""


class OndaFollowed(msgspec.Struct, frozen=True):
    """The seat led or followed. `wild_as` is the card that its wild stands for. §5."""

    cards: Cards
    wild_as: OndaCard | None
    kind: Kind
    size: Size
    number: Number


class OndaBombed(msgspec.Struct, frozen=True):
    """The seat played a bomb. `wild_as` is the card that its wild stands for. §7."""

    cards: Cards
    wild_as: OndaCard | None
    kind: Kind
    size: Size
    number: Number


class OndaTideTurned(msgspec.Struct, frozen=True):
    """The seat took back `take`, flipped the tide to `tide`, blocked the status and followed. §6.4, O6, O10."""

    take: OndaCard
    cards: Cards
    tide: Tide
    kind: Kind
    size: Size
    number: Number


class OndaPassed(msgspec.Struct, frozen=True):
    """The seat is out of this trick. §5.4."""


class OndaTrickEnded(msgspec.Struct, frozen=True):
    """All but the winner have passed; `bomb` is the one of the next trick. §8.1, O13."""

    winner: int
    bomb: BombLetter


class OndaRoundEnded(msgspec.Struct, frozen=True):
    """A seat went out: everything hidden is shown, and the points are counted. §8.2, §8.3, O7, O12."""

    went_out: Annotated[int, msgspec.Meta(description="The seat whose hand is empty.")]
    hands: CardsBySeat
    face_down: CardsBySeat
    wilds_used: Annotated[CardsBySeat, msgspec.Meta(description="The real faces of the cards played as wilds.")]
    change: Annotated[tuple[int, ...], msgspec.Meta(description="Points won or lost in this round, by seat.")]
    points: Annotated[tuple[int, ...], msgspec.Meta(description="Points now, by seat.")]


class OndaMatchFinished(msgspec.Struct, frozen=True):
    """The last round is over. §9.4."""

    outcome: OndaOutcome


EVENTS: dict[str, type[msgspec.Struct]] = {
    "round_started": OndaRoundStarted,
    "bomb_kept": OndaBombKept,
    "bomb_skipped": OndaBombSkipped,
    "set_aside": OndaHasSetAside,
    "followed": OndaFollowed,
    "tide_turned": OndaTideTurned,
    "bombed": OndaBombed,
    "passed": OndaPassed,
    "trick_ended": OndaTrickEnded,
    "round_ended": OndaRoundEnded,
    "match_finished": OndaMatchFinished,
}
