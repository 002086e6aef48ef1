"""What Powers do: at whom each may be aimed, and what happens when it is not countered. Rules: U14, U22-U27."""

from engines.ufo_wave import scan
from engines.ufo_wave.arrivals import watch
from engines.ufo_wave.cards import ANYTHING, Cards
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.effects import UfoWaveEffect
from engines.ufo_wave.errands import throw_away
from engines.ufo_wave.events import UfoWaveMovedHuman, UfoWaveScanChanged
from engines.ufo_wave.moves import UfoWaveTarget
from engines.ufo_wave.position import Position, movable, of_sort, protector
from engines.ufo_wave.state import UfoWaveAura

Targets = list[UfoWaveTarget | None]
NO_CARDS, SKIP_TURN = 1, 2


def targets(at: Position, cards: Cards, seat: int, effect: UfoWaveEffect) -> Targets:
    """All that a Power with this effect may be aimed at now; [None] if it needs no target, [] if it has none. U24."""
    match effect.effect:
        case "protect" | "protect_and_claim":
            activities = of_sort(at, cards, "activity", at.row)
            return [UfoWaveTarget(activity=card) for card in activities if protector(at, card) is None]
        case "no_plan_cards" | "skip_turn" | "discard_choice" | "discard_random":
            return [UfoWaveTarget(seat=other) for other in range(len(at.seats)) if other != seat]
        case "lead_human":
            humans = of_sort(at, cards, "human", at.row)
            return [UfoWaveTarget(human=human, to_seat=to) for human in humans for to in range(len(at.seats))]
        case "move_human":
            return _humans_to_move(at)
        case "swap_scan":
            free = movable(at, seat)
            return [UfoWaveTarget(first=one, second=other) for i, one in enumerate(free) for other in free[i + 1 :]]
        case "arrange_scan":
            return [None] if len(movable(at, seat)) > 1 else []
        case "counter_basic" | "counter_any":
            return []
        case _:
            return [None]


def _humans_to_move(at: Position) -> Targets:
    if len(at.seats) == 1:
        return [UfoWaveTarget(human=human) for human in at.seats[0].watching]
    return [
        UfoWaveTarget(human=human, to_seat=to)
        for holder, about in enumerate(at.seats)
        for human in about.watching
        for to in range(len(at.seats))
        if to != holder
    ]


def resolve(draft: Draft, seat: int, power: int, level: int, target: UfoWaveTarget | None) -> None:
    """The Power takes effect. Its card lies on the discard pile already, but for an Aura, which lies down now."""
    levels = draft.cards.plan[power].levels
    assert levels is not None
    effect = levels[level]
    aim = target or UfoWaveTarget()
    match effect.effect:
        case "protect" | "protect_and_claim":
            claim = effect.effect == "protect_and_claim"
            draft.auras.append(UfoWaveAura(_named(aim.activity), seat, power, claim))
        case "no_plan_cards":
            _paralyse(draft, _named(aim.seat), NO_CARDS)
        case "skip_turn":
            _paralyse(draft, _named(aim.seat), SKIP_TURN)
        case "discard_choice":
            draft.due("discard", _named(aim.seat), effect.count or 0, draft.cards.plan[power].key)
        case "discard_random":
            _discard_at_random(draft, _named(aim.seat), effect.count or 0)
        case "lead_human":
            scan.lead(draft, seat, _named(aim.human), _named(aim.to_seat))
        case "move_human":
            _move_human(draft, seat, _named(aim.human), aim.to_seat)
        case "swap_scan":
            _swap(draft, seat, _named(aim.first), _named(aim.second))
        case "arrange_scan":
            draft.due("order_scan", seat, len(movable(draft, seat)) - 1, draft.cards.plan[power].key)
        case "extra_perform":
            draft.claims.append(ANYTHING if effect.at_most is None else effect.at_most)
            draft.claims.sort()
        case "cloak_first":
            draft.cloak = max(draft.cloak, scan.CLOAK_FIRST)
        case "cloak_all":
            draft.cloak = scan.CLOAK_ALL


def lies_on_the_row(effect: UfoWaveEffect) -> bool:
    """Whether the Power's card lies on an Activity instead of going to the discard pile. Rules: U14."""
    return effect.effect in ("protect", "protect_and_claim")


def _named(number: int | None) -> int:
    """A field of a target that `targets` has listed, so it is there."""
    assert number is not None
    return number


def _paralyse(draft: Draft, seat: int, level: int) -> None:
    """Raise to the higher level, without adding up. Rules: U25."""
    draft.seats[seat].paralysed = max(draft.seats[seat].paralysed, level)


def _discard_at_random(draft: Draft, seat: int, count: int) -> None:
    for _ in range(min(count, len(draft.seats[seat].hand))):
        hand = draft.seats[seat].hand
        draft.picks += 1
        throw_away(draft, seat, hand[draft.chance.pick(f"chance/{draft.picks}", len(hand))])


def _move_human(draft: Draft, seat: int, human: int, to_seat: int | None) -> None:
    """From in front of one seat to a different one; in solo to the discard pile. Rules: Mind Control, U5."""
    holder = next(number for number, about in enumerate(draft.seats) if human in about.watching)
    draft.seats[holder].watching.remove(human)
    if to_seat is None:
        draft.scan_discard.append(human)
    else:
        watch(draft, to_seat, human)
    draft.tell("moved_human", seat, UfoWaveMovedHuman(human, holder, to_seat, draft.open_row()))


def _swap(draft: Draft, seat: int, first: int, second: int) -> None:
    one, other = draft.row.index(first), draft.row.index(second)
    draft.row[one], draft.row[other] = second, first
    draft.tell("scan_changed", seat, UfoWaveScanChanged(draft.open_row()))
