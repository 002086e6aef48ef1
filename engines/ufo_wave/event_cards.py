"""What Events do, when one is turned up. Rules: R Events, U2, U28, U29, and the page of the house set.

The Event lies on the Scan discard pile already. What it asks of the seats goes on the agenda, in turn order; only when
all of it is done does the filling go on. Events ignore Auras.
"""

from typing import Literal

from engines.ufo_wave.arrivals import remove, watch
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWaveMovedHuman, UfoWaveScanChanged
from engines.ufo_wave.position import activities, of_sort, turn_order


def happen(draft: Draft, kind: int) -> None:
    """Carry out the Event of this kind."""
    about = draft.cards.scan[kind]
    assert about.event is not None
    count = about.event.count or 1
    match about.event.effect:
        case "each_draws":
            _ask(draft, "draw", turn_order(draft), count, about.key)
        case "each_discards":
            _ask(draft, "discard", turn_order(draft), count, about.key)
        case "each_discards_human":
            _ask(draft, "discard_human", turn_order(draft), count, about.key)
        case "fewest_activities_draw":
            _ask(draft, "draw", _with_fewest_activities(draft), count, about.key)
        case "human_to_most_activities":
            _send_leftmost_human(draft)
        case "discard_energy":
            _discard_energy(draft)
        case "turn_row":
            draft.row.reverse()
            draft.tell("scan_changed", None, UfoWaveScanChanged(draft.open_row()))
        case "turn_direction":
            draft.direction = -draft.direction
        case "lockdown":
            draft.lockdown = draft.active
        case "open_plan":
            draft.open_plan = True


def _ask(
    draft: Draft, do: Literal["draw", "discard", "discard_human"], seats: list[int], count: int, cause: str
) -> None:
    """Put it on the agenda for each of these seats; the first of them comes first."""
    for seat in reversed(seats):
        draft.due(do, seat, count, cause)


def _with_fewest_activities(draft: Draft) -> list[int]:
    seats = turn_order(draft)
    fewest = min(activities(draft, draft.cards, seat) for seat in seats)
    return [seat for seat in seats if activities(draft, draft.cards, seat) == fewest]


def _send_leftmost_human(draft: Draft) -> None:
    """The leftmost Human goes to the seat with most Activities. Energy beside it stays. Rules: U28."""
    humans = of_sort(draft, draft.cards, "human", draft.row)
    if not humans:
        return
    # `max` keeps the first of equals: ties go in turn order, and with no Activity anywhere it is the active seat.
    seat = max(turn_order(draft), key=lambda seat: activities(draft, draft.cards, seat))
    watch(draft, seat, humans[0])
    draft.tell("moved_human", None, UfoWaveMovedHuman(humans[0], None, seat, draft.open_row()))


def _discard_energy(draft: Draft) -> None:
    energy = of_sort(draft, draft.cards, "energy", draft.row)
    for card in energy:
        remove(draft, card)
        draft.scan_discard.append(card)
    if energy:
        draft.tell("scan_changed", None, UfoWaveScanChanged(draft.open_row()))
