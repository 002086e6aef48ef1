"""What a viewer may know, listed by what is shown. Rules: page, View; U13, U17, U18, U29."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from engines.kit.game import Viewer
from engines.ufo_wave.cards import ANYTHING, Cards, UfoWaveScanCard, cards_of
from engines.ufo_wave.draft import shown_row
from engines.ufo_wave.events import Row
from engines.ufo_wave.legal import to_move
from engines.ufo_wave.moves import Level, UfoWaveTarget
from engines.ufo_wave.options import Mode
from engines.ufo_wave.position import activities, hand_limit
from engines.ufo_wave.scoring import points
from engines.ufo_wave.state import Phase, UfoWaveState
from engines.ufo_wave.window import LEVELS

Keys = tuple[str, ...]
ScanCards = tuple[UfoWaveScanCard, ...]
_PARALYSED: tuple[Level | None, ...] = (None, "basic", "advanced")


class UfoWaveSeatView(msgspec.Struct, frozen=True):
    """What everybody sees of a seat; `species` also before its owner's eyes alone. Rules: U17, U18, U29."""

    seat: int
    species: Annotated[str | None, msgspec.Meta(description="Null where there is none or it is hidden from the viewer")]
    watching: Annotated[ScanCards, msgspec.Meta(description="The Humans watching it, oldest first")]
    hand_size: int
    hand_limit: int
    activities: Annotated[int, msgspec.Meta(description="How many Activities it has claimed")]
    score_pile: Annotated[int, msgspec.Meta(description="How many cards its score pile has")]
    paralysed: Annotated[Level | None, msgspec.Meta(description="The level of a Paralysis still to take effect")]
    asks: Annotated[bool, msgspec.Meta(description="False: it allows every Power without being asked")]
    known: Annotated[Keys, msgspec.Meta(description="Cards of its hand that everybody saw it draw")]


class UfoWaveWindowView(msgspec.Struct, frozen=True):
    """The Power that may be countered, and which seats have answered; what they answered is hidden."""

    seat: int
    power: str
    level: Level
    craft: str | None
    target: UfoWaveTarget | None
    answered: tuple[int, ...]


class UfoWavePending(msgspec.Struct, frozen=True):
    """A forced choice of `seat`: `kind` is the move that is asked for, `count` how many of them are left.

    `cause` is the key of the card that demands it, or `draw_phase` or `hand_limit`.
    """

    kind: Literal["draw", "discard", "discard_human", "order_scan"]
    seat: int
    count: int
    cause: str


class UfoWaveClaim(msgspec.Struct, frozen=True):
    """An Activity that may be performed besides the action: this one (an Aura at Advanced), or one worth `at_most`.

    Both null: any Activity.
    """

    activity: int | None
    at_most: int | None


class UfoWaveClaims(msgspec.Struct, frozen=True):
    """What the active seat may still take in this turn: its action, and Activities besides. Rules: U26."""

    action: bool
    extra: tuple[UfoWaveClaim, ...]


class UfoWaveView(msgspec.Struct, frozen=True):
    """The match as the viewer sees it. A spectator's `viewer` is null, as is all that is the viewer's own."""

    viewer: int | None
    mode: Mode
    card_set: str
    phase: Phase
    active: int
    to_move: tuple[int, ...]
    direction: Literal["clockwise", "counterclockwise"]
    scan: Row
    scan_deck: Annotated[int, msgspec.Meta(description="How many cards are left in the Scan deck")]
    scan_discard: Annotated[ScanCards, msgspec.Meta(description="Open, oldest first; Events too")]
    plan_deck: Annotated[int, msgspec.Meta(description="How many cards are left in the Plan deck")]
    plan_top: Annotated[str | None, msgspec.Meta(description="The open top card, under Invasion Master Plan")]
    plan_discard: Annotated[Keys, msgspec.Meta(description="Open, oldest first")]
    events_seen: Keys
    lockdown: bool
    window: UfoWaveWindowView | None
    pending: UfoWavePending | None
    claims: UfoWaveClaims
    seats: tuple[UfoWaveSeatView, ...]
    hand: Annotated[Keys | None, msgspec.Meta(description="The viewer's Plan cards; null before they are dealt")]
    score_pile_cards: ScanCards | None
    points: Annotated[int | None, msgspec.Meta(description="What the viewer would have if the game ended now")]
    favoured: Annotated[str | None, msgspec.Meta(description="The type of Activity that the viewer's Species favours")]


def view_for(state: UfoWaveState, viewer: Viewer) -> UfoWaveView:
    """All that this seat, or a spectator, may know."""
    cards = cards_of(state.cards)
    keys = [kind.key for kind in cards.plan]
    me = state.seats[viewer] if viewer is not None else None
    return UfoWaveView(
        viewer,
        state.mode,
        cards.source.key,
        state.phase,
        state.active,
        to_move(state),
        "clockwise" if state.direction == 1 else "counterclockwise",
        shown_row(state.row, state.turned, state.auras, cards),
        len(state.scan_deck),
        _open(state, cards, state.scan_discard),
        len(state.plan_deck),
        keys[state.plan_deck[-1]] if state.open_plan and state.plan_deck else None,
        tuple([keys[card] for card in state.plan_discard]),
        tuple([cards.scan[kind].key for kind in state.turned if cards.sorts[kind] == "event"]),
        state.lockdown is not None,
        _window(state, keys),
        _pending(state),
        _claims(state),
        tuple([_seat(state, cards, keys, seat, viewer) for seat in range(len(state.seats))]),
        tuple([keys[card] for card in me.hand]) if me is not None and state.turned else None,
        _open(state, cards, me.pile) if me is not None else None,
        points(state, cards, viewer) if viewer is not None else None,
        cards.species[me.species].favoured if me is not None and me.species is not None else None,
    )


def _open(state: UfoWaveState, cards: Cards, ids: Sequence[int]) -> ScanCards:
    return tuple([cards.face(card, state.turned[card - 1]) for card in ids])


def _seat(state: UfoWaveState, cards: Cards, keys: list[str], seat: int, viewer: Viewer) -> UfoWaveSeatView:
    about = state.seats[seat]
    hidden = about.species is None or (state.mode == "covert" and seat != viewer and state.phase != "over")
    return UfoWaveSeatView(
        seat,
        None if hidden or about.species is None else cards.species[about.species].key,
        _open(state, cards, about.watching),
        len(about.hand),
        hand_limit(state, cards, seat),
        activities(state, cards, seat),
        len(about.pile),
        _PARALYSED[about.paralysed],
        about.asks,
        tuple([keys[card] for card in about.known]),
    )


def _window(state: UfoWaveState, keys: list[str]) -> UfoWaveWindowView | None:
    window = state.window
    if window is None:
        return None
    return UfoWaveWindowView(
        state.active,
        keys[window.power],
        LEVELS[window.level],
        keys[window.craft] if window.craft is not None else None,
        window.target,
        tuple([seat for seat, given in enumerate(window.answers) if given is not None]),
    )


def _pending(state: UfoWaveState) -> UfoWavePending | None:
    if not state.agenda or state.window is not None or state.phase == "over":
        return None
    errand = state.agenda[-1]
    assert errand.do != "fill"  # filling asks nobody, so no position waits in it
    return UfoWavePending(errand.do, errand.seat, errand.count, errand.cause)


def _claims(state: UfoWaveState) -> UfoWaveClaims:
    if not state.extra and not state.claims:
        return _ACTION_ONLY if state.action else _NOTHING
    own = [UfoWaveClaim(activity, None) for activity in state.extra]
    limits = [UfoWaveClaim(None, None if limit == ANYTHING else limit) for limit in state.claims]
    return UfoWaveClaims(state.action, (*own, *limits))


_ACTION_ONLY = UfoWaveClaims(True, ())
_NOTHING = UfoWaveClaims(False, ())
