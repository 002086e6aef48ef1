"""Whose turn comes next, can that place play, and what does the end of a turn change?"""

from msgspec.structs import replace

from engines.kit.game import Event, Step
from engines.wave.cards import CODES, FITS, REVERSES
from engines.wave.events import WaveTurnedUp, finished
from engines.wave.scoring import outcome
from engines.wave.state import Termination, WaveHand, WaveSilver, WaveState


def end_turn(
    before: WaveState,
    card: int,
    hands: tuple[WaveHand, ...],
    silver: WaveSilver | None,
    drawn: int,
    events: list[Event],
) -> Step:
    """Lays `card` on the discard pile, turns the direction if it says so, and begins the next turn.

    `hands`, `silver` and `drawn` are those after the card left its hand and another was drawn; `events` tell of that,
    and what happens here is added to them. Rules: §5.1, §5.2, §8.1, W6: turn first, then step.
    """
    clockwise = before.clockwise ^ REVERSES[before.deck[card - 1]]
    discard = (*before.discard, card)
    state = WaveState(
        before.strict,
        before.tips_per_turn,
        before.deck,
        drawn,
        discard,
        clockwise,
        before.turn,
        hands,
        silver,
        (),
        tuple(tip for tip in before.tips if card not in (tip.about, tip.mine)) if before.tips else (),
        (0,) * len(hands),
        before.version + 1,
    )
    place = next_place(state)
    if place is None:
        return ended(state, "all_played", events)
    return begin_turn(replace(state, turn=place), events)


def next_place(state: WaveState) -> int | None:
    """The next place in the present direction that has cards, None if nobody has. Rules: §5.2, §5.3, W6, W12.

    Silver's place comes after the last seat and before seat 0. The place whose turn it was comes last, so it is its
    turn again when all others are empty.
    """
    hands, silver = state.hands, state.silver
    places = len(hands) + (silver is not None)
    step = 1 if state.clockwise else -1
    place = state.turn
    for _ in range(places):
        place = (place + step) % places
        holds = hands[place] if place < len(hands) else silver
        if _has_cards(holds):
            return place
    return None


def begin_turn(state: WaveState, events: list[Event]) -> Step:
    """Ends the match if nothing in the whole hand fits, seen or not. Rules: §8.2, W3; for Silver §7.5, W10."""
    silver = state.silver
    if silver is not None and state.silver_turn:
        if not silver.face_up:
            silver = turn_up(state, silver, events)
            state = replace(state, silver=silver)
        cards = silver.face_up
    else:
        hand = state.hands[state.turn]
        cards = hand.holder + hand.team
    deck, fits = state.deck, FITS[state.top]
    for card in cards:
        if fits[deck[card - 1]]:
            return Step(state, tuple(events))
    return ended(state, "stuck", events)


def ended(state: WaveState, termination: Termination, events: list[Event]) -> Step:
    """The match is over. Rules: §8."""
    state = replace(state, termination=termination)
    result = outcome(state)
    assert result is not None
    return Step(state, (*events, finished(result)))


def turn_up(state: WaveState, silver: WaveSilver, events: list[Event]) -> WaveSilver:
    """Turns up the next of Silver's face-down cards, if there is one. Rules: §7.4, W10."""
    if not silver.face_down:
        return silver
    card = silver.face_down[0]
    events.append(Event("turned_up", None, WaveTurnedUp(card, CODES[state.deck[card - 1]])))
    return WaveSilver((*silver.face_up, card), silver.face_down[1:], silver.proposals, silver.used)


def _has_cards(holds: WaveHand | WaveSilver | None) -> bool:
    if isinstance(holds, WaveHand):
        return bool(holds.holder or holds.team)
    return holds is not None and bool(holds.face_up or holds.face_down)
