"""What the laws of the conformance suite need to know of UFO Wave."""

import random
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from engines.kit.chance import Chance
from engines.ufo_wave.cards import HOUSE, Cards
from engines.ufo_wave.cards import cards_of as tables_of
from engines.ufo_wave.legal import counters
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveChooseSpecies,
    UfoWaveCounter,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveDismissHuman,
    UfoWaveDraw,
    UfoWaveEndAction,
    UfoWaveEndPreparation,
    UfoWaveLead,
    UfoWaveMove,
    UfoWaveOrderScan,
    UfoWavePerform,
    UfoWavePlayPower,
    UfoWaveSetReactions,
    UfoWaveTarget,
)
from engines.ufo_wave.options import UfoWaveOptions
from engines.ufo_wave.state import UfoWaveAnswer, UfoWaveSeatState, UfoWaveState, UfoWaveWindow


def ALL_CARDS(options: UfoWaveOptions, seats: int) -> list[str]:
    """54 Scan cards and 56 Plan cards with two Events, which ones nobody knows; in solo no Event and 30 Plan cards."""
    solo = options.mode == "solo"
    scan = [_scan_name(HOUSE, kind) for kind in HOUSE.scan_deck] + ([] if solo else ["event", "event"])
    return scan + [HOUSE.plan[kind].key for kind in (HOUSE.solo_deck if solo else HOUSE.plan_deck)]


def cards_of(state: UfoWaveState) -> Iterator[str]:
    """Row, decks, discard piles, hands, Auras, the Power being played, Humans in front of seats, score piles."""
    cards = tables_of(state.cards)
    ids = [card for card in state.row if card] + list(state.scan_discard)
    plan = [*state.plan_deck, *state.plan_discard, *(aura.card for aura in state.auras)]
    for seat in state.seats:
        ids += [*seat.watching, *seat.pile]
        plan += seat.hand
    if state.window is not None:
        plan += [card for card in (state.window.power, state.window.craft) if card is not None]
    assert len(set(ids)) == len(ids) == len(state.turned)
    yield from (_scan_name(cards, kind) for kind in [*(state.turned[card - 1] for card in ids), *state.scan_deck])
    yield from (cards.plan[kind].key for kind in plan)


def _scan_name(cards: Cards, kind: int) -> str:
    about = cards.scan[kind]
    return "event" if about.sort == "event" else f"{about.key}{'' if about.points is None else about.points}"


def redeal(state: UfoWaveState, viewer: int | None, rng: random.Random) -> UfoWaveState:
    """All chance to come, both decks, the other seats' hands, answers and hidden Species, and the score piles that the
    viewer does not see, although everybody saw them grow."""
    cards = tables_of(state.cards)
    state = replace(state, chance=Chance(rng.randbytes(32)), scan_deck=_scan_deck(state, cards, rng))
    if state.phase == "over":
        return state
    state = _piles(state, viewer, cards, rng)
    state = _species(state, viewer, cards, rng)
    state = _hands(state, viewer, rng)
    return _answers(state, viewer, cards, rng)


def _scan_deck(state: UfoWaveState, cards: Cards, rng: random.Random) -> tuple[int, ...]:
    """In another order, with other Events in it: which two are used is not known until they turn up."""
    deck = list(state.scan_deck)
    unseen = [kind for kind in cards.event_deck if kind not in state.turned]
    rng.shuffle(unseen)
    deck = [unseen.pop() if cards.sorts[kind] == "event" else kind for kind in deck]
    rng.shuffle(deck)
    if not state.turned:
        # Before the deal the two Events lie under the Scan deck.
        deck.sort(key=lambda kind: cards.sorts[kind] != "event")
    return tuple(deck)


def _piles(state: UfoWaveState, viewer: int | None, cards: Cards, rng: random.Random) -> UfoWaveState:
    """Exchange cards of the piles that the viewer does not see for cards of the deck, sort for sort."""
    turned, deck = list(state.turned), list(state.scan_deck)
    for seat, about in enumerate(state.seats):
        for card in about.pile if seat != viewer else ():
            sort = cards.sorts[turned[card - 1]]
            places = [place for place, kind in enumerate(deck) if cards.sorts[kind] == sort]
            if places:
                place = rng.choice(places)
                turned[card - 1], deck[place] = deck[place], turned[card - 1]
    return replace(state, turned=tuple(turned), scan_deck=tuple(deck))


def _species(state: UfoWaveState, viewer: int | None, cards: Cards, rng: random.Random) -> UfoWaveState:
    if state.mode != "covert":
        return state
    own = state.seats[viewer].species if viewer is not None else None
    others = [number for number in range(len(cards.species)) if number != own]
    rng.shuffle(others)
    seats = [
        about if seat == viewer else replace(about, species=others.pop()) for seat, about in enumerate(state.seats)
    ]
    return replace(state, seats=tuple(seats))


def _hands(state: UfoWaveState, viewer: int | None, rng: random.Random) -> UfoWaveState:
    """What the viewer has seen drawn from the open top stays; so does the card that lies there now."""
    open_top = state.plan_deck[-1:] if state.open_plan else ()
    deck = list(state.plan_deck[: len(state.plan_deck) - len(open_top)])
    pool = list(deck)
    hidden: list[UfoWaveSeatState | None] = []
    for seat, about in enumerate(state.seats):
        if seat == viewer:
            hidden.append(None)
            continue
        hidden.append(about)
        pool += _less(about.hand, about.known)
    rng.shuffle(pool)
    seats = []
    for about, other in zip(state.seats, hidden, strict=True):
        if other is None:
            seats.append(about)
            continue
        drawn = [pool.pop() for _ in range(len(other.hand) - len(other.known))]
        seats.append(replace(about, hand=tuple(sorted([*drawn, *other.known]))))
    return replace(state, seats=tuple(seats), plan_deck=(*pool, *open_top))


def _less(hand: Sequence[int], known: Sequence[int]) -> list[int]:
    rest = list(hand)
    for card in known:
        rest.remove(card)
    return rest


def _answers(state: UfoWaveState, viewer: int | None, cards: Cards, rng: random.Random) -> UfoWaveState:
    """Who has answered stays; what it answered is anything that it can with the hand that it has now."""
    window = state.window
    if window is None:
        return state
    answers = []
    for seat, given in enumerate(window.answers):
        if given is None or seat == viewer:
            answers.append(given)
            continue
        choices = [UfoWaveAnswer()]
        for move in counters(state, cards, seat) if state.seats[seat].asks else ():
            craft = cards.plan_number[move.craft] if move.craft is not None else None
            choices.append(UfoWaveAnswer(1 if move.level == "basic" else 2, craft))
        answers.append(rng.choice(choices))
    return replace(state, window=UfoWaveWindow(window.power, window.level, window.craft, window.target, tuple(answers)))


def probes(state: UfoWaveState, seat: int, rng: random.Random) -> list[UfoWaveMove]:
    """Moves of every kind, aimed at cards that are there and at cards that are not."""
    every_id = [*range(1, len(state.turned) + 2), 99]
    ids = rng.sample(every_id, min(16, len(every_id)))
    seats = [*range(len(state.seats)), len(state.seats)]
    keys = [kind.key for kind in HOUSE.plan] + ["no_such_card", "greys"]
    crafts = [kind.key for kind in HOUSE.plan[HOUSE.powers :]]
    row = [card for card in state.row if card] or [1]
    moves: list[UfoWaveMove] = [UfoWaveChooseSpecies(key) for key in (*HOUSE.species_number, "martians")]
    moves += [UfoWaveDraw("top"), UfoWaveDraw("bottom"), UfoWaveAllow()]
    moves += [UfoWaveEndPreparation(), UfoWaveEndAction(), UfoWaveSetReactions(True), UfoWaveSetReactions(False)]
    moves += [move(card) for card in (*ids, *row) for move in (UfoWavePerform, UfoWaveOrderScan, UfoWaveDiscardHuman)]
    moves += [UfoWaveLead(card, rng.choice(seats)) for card in (*ids, *row)]
    moves += [UfoWaveDiscard(key) for key in keys]
    moves += [UfoWaveCounter(level, craft) for level in ("basic", "advanced") for craft in (None, *crafts, "cloak")]
    for human in rng.sample(ids, 2):
        moves += [UfoWaveDismissHuman(human, (one, other)) for one in crafts for other in crafts]
        moves.append(UfoWaveDismissHuman(human, ("cloak", "cloak")))
    for power in keys:
        targets = [None, UfoWaveTarget(), *(_target(ids, row, seats, rng) for _ in range(3))]
        for target in targets:
            moves.append(UfoWavePlayPower(power, "basic", None, target))
            craft = rng.choice([None, *crafts])
            moves.append(UfoWavePlayPower(power, rng.choice(("basic", "advanced")), craft, target))
    return moves


def _target(ids: list[int], row: list[int], seats: list[int], rng: random.Random) -> UfoWaveTarget:
    """Mostly one of the shapes that some Power has, sometimes nonsense."""
    near, other = rng.choice(row), rng.choice(row)
    any_card, to_seat = rng.choice(ids), rng.choice(seats)
    return rng.choice(
        [
            UfoWaveTarget(activity=near),
            UfoWaveTarget(seat=to_seat),
            UfoWaveTarget(human=near, to_seat=to_seat),
            UfoWaveTarget(human=any_card, to_seat=to_seat),
            UfoWaveTarget(human=any_card),
            UfoWaveTarget(first=near, second=other),
            UfoWaveTarget(first=near, second=any_card),
            UfoWaveTarget(activity=any_card, seat=to_seat),
        ]
    )


def listed_form(state: UfoWaveState, seat: int, move: UfoWaveMove) -> UfoWaveMove | None:
    """A pair of Craft and the two cards of a swap come in any order; a target with nothing in it is no target."""
    if isinstance(move, UfoWaveSetReactions):
        return None
    if isinstance(move, UfoWaveDismissHuman):
        return replace(move, craft=tuple(sorted(move.craft, key=lambda key: HOUSE.plan_number[key])))
    if not isinstance(move, UfoWavePlayPower) or move.target is None:
        return move
    target = move.target
    if target == UfoWaveTarget():
        return replace(move, target=None)
    if target.first is not None and target.second is not None:
        first, second = sorted((target.first, target.second), key=state.row.index)
        return replace(move, target=replace(target, first=first, second=second))
    return move


def picture(state: UfoWaveState) -> list[str]:
    """The position in a few lines, all cards open; `_` is a gap, `<1>` the Aura of seat 1, `?` a card all saw drawn."""
    cards = tables_of(state.cards)
    turn = "over" if state.phase == "over" else f"{state.phase} of seat {state.active}"
    way = "clockwise" if state.direction == 1 else "counterclockwise"
    auras = {aura.activity: f"<{aura.seat}>" for aura in state.auras}
    row = [f"#{card} {_called(state, card)}{auras.get(card, '')}" if card else "_" for card in state.row]
    decks = f"Scan {len(state.scan_deck)}, Plan {len(state.plan_deck)} (+{len(state.plan_discard)} discarded)"
    locked = "" if state.lockdown is None else f", locked down until seat {state.lockdown}"
    lines = [f"{turn}, {way}{locked}; {decks}", f"row: {' | '.join(row) or '-'}"]
    for number, seat in enumerate(state.seats):
        known = list(seat.known)
        hand = []
        for card in seat.hand:
            seen = card in known
            if seen:
                known.remove(card)
            hand.append(cards.plan[card].key + ("?" if seen else ""))
        who = "" if seat.species is None else f" ({cards.species[seat.species].key})"
        paralysed = ("", ", paralysed", ", paralysed (advanced)")[seat.paralysed]
        watching = " ".join(f"#{human} {_called(state, human)}" for human in seat.watching) or "nobody"
        pile = " ".join(_called(state, card) for card in seat.pile) or "nothing"
        lines.append(f"seat {number}{who}{paralysed}: {' '.join(hand) or '-'}; watched by {watching}; has {pile}")
    return lines


def _called(state: UfoWaveState, card: int) -> str:
    kind = tables_of(state.cards).scan[state.turned[card - 1]]
    return f"{kind.key}{kind.points}" if kind.sort == "activity" else kind.key
