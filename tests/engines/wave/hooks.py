"""What the laws of the conformance suite need to know of Wave."""

import random
from collections.abc import Iterator

from msgspec.structs import replace

from engines.wave.cards import CODES, FITS
from engines.wave.moves import SAYS, WaveMove, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.state import WaveState

ALL_CARDS = CODES


def cards_of(state: WaveState) -> Iterator[str]:
    """The discard pile, hands, Silver's cards, and the draw pile."""
    ids = list(state.discard)
    for hand in state.hands:
        ids += [*hand.holder, *hand.team]
    if state.silver is not None:
        ids += [*state.silver.face_up, *state.silver.face_down]
    faces = [state.deck[card - 1] for card in ids] + list(state.deck[state.drawn :])
    return (CODES[face] for face in faces)


def hidden_from(state: WaveState, viewer: int | None) -> list[int]:
    """The ids of all cards whose faces the viewer does not see, draw pile included."""
    hidden = list(range(state.drawn + 1, len(state.deck) + 1))
    if state.termination is not None:
        return hidden
    for seat, hand in enumerate(state.hands):
        if viewer != seat:
            hidden += hand.holder
        if viewer is None or viewer == seat:
            hidden += hand.team
    if state.silver is not None:
        hidden += state.silver.face_down
    return hidden


def redeal(state: WaveState, viewer: int | None, rng: random.Random) -> WaveState:
    """Shuffles the hidden faces among the hidden cards until the deal fits what everyone knows: the misfits of this
    turn do not fit, and something in the hand whose turn it is does."""
    hidden = hidden_from(state, viewer)
    for _ in range(200):
        faces = [state.deck[card - 1] for card in hidden]
        rng.shuffle(faces)
        deck = bytearray(state.deck)
        for card, face in zip(hidden, faces, strict=True):
            deck[card - 1] = face
        other = replace(state, deck=bytes(deck))
        if is_possible(other):
            return other
    return state


def is_possible(state: WaveState) -> bool:
    """Could play have come to this, as far as the present turn tells?"""
    fits = FITS[state.top]
    if any(fits[state.deck[card - 1]] for card in state.misfits):
        return False
    if state.termination is not None or state.silver_turn:
        return True
    hand = state.hands[state.turn]
    return any(fits[state.deck[card - 1]] for card in (*hand.holder, *hand.team))


def probes(state: WaveState, seat: int, rng: random.Random) -> list[WaveMove]:
    """Every play and proposal there could be, some beyond, and two dozen tips."""
    ids = [0, *range(1, state.drawn + 3), 99]
    tips = [
        WaveTip(rng.choice(ids), rng.choice(SAYS), rng.choice([None, None, rng.choice(ids), *_own(state, seat)]))
        for _ in range(24)
    ]
    return [*map(WavePlay, ids), *map(WaveProposeSilver, ids), *tips]


def listed_form(state: WaveState, seat: int, move: WaveMove) -> WaveMove | None:
    """No two moves of Wave are equivalent."""
    return None if isinstance(move, WaveTip) else move


def picture(state: WaveState) -> list[str]:
    """The position in a few lines, all cards open: `r3` faces its holder, `(r3)` its team; `!` marks a misfit."""
    turn = "over" if state.termination else "Silver's turn" if state.silver_turn else f"turn of seat {state.turn}"
    arrow = "clockwise" if state.clockwise else "counterclockwise"
    top = CODES[state.top]
    lines = [f"top {top} of {len(state.discard)}, pile {state.pile}, {arrow}, {turn}"]
    for seat, hand in enumerate(state.hands):
        lines.append(f"seat {seat}: " + (" ".join(_card(state, card, card in hand.team) for card in hand.ids()) or "-"))
    if state.silver is not None:
        silver = state.silver
        up = " ".join(_card(state, card, False) for card in silver.face_up)
        down = " ".join(_card(state, card, True) for card in silver.face_down)
        lines.append(f"Silver: {up} {down}".rstrip())
    return lines


def _card(state: WaveState, card: int, unseen: bool) -> str:
    face = f"#{card} {CODES[state.deck[card - 1]]}" + ("!" if card in state.misfits else "")
    return f"({face})" if unseen else f"[{face}]"


def _own(state: WaveState, seat: int) -> tuple[int, ...]:
    return state.hands[seat].ids() if seat < len(state.hands) else ()
