"""The closed list of what a card of UFO Wave can do. A card set names effects; it cannot bring new ones.

Every effect belongs to one slot (where on a card it may stand) and has at most one number. What an effect does is
code, in the file named beside its slot; this file only says which exist, so that a faulty card set can be told.
"""

from typing import Literal

import msgspec

Slot = Literal["at_once", "watching", "end", "event", "level"]


class Form(msgspec.Struct, frozen=True):
    """One effect as a card set may use it. `number` is the name of its one number, None if it has none.

    `lowest` and `highest` are the bounds of that number; `optional` says that it may be left out.
    """

    says: str
    number: Literal["count", "points", "change", "at_most"] | None = None
    lowest: int = 1
    highest: int = 5
    optional: bool = False


EFFECTS: dict[Slot, dict[str, Form]] = {
    # tasks.py: when a Human comes in front of a seat, when an Energy comes into a score pile (R, U5)
    "at_once": {
        # At most 2: with 3 two cards that move Humans could feed each other for ever (length.py counts on it).
        "draw": Form("draws that many Plan cards", "count", 1, 2),
        "discard": Form("discards that many Plan cards of its choice", "count", 1, 3),
    },
    # position.py: as long as the Human watches (U21)
    "watching": {
        "hand_limit": Form("its hand limit changes by that much", "change", -3, 3),
    },
    # scoring.py: when the game ends (R, U15)
    "end": {
        "points": Form("that many points for each such Human", "points", -20, 20),
        "most": Form("that many points for each seat that has the most of such Humans", "points", -20, 20),
    },
    # event_cards.py: when the card is turned up (R, U2, U28, U29)
    "event": {
        "each_draws": Form("each seat draws that many Plan cards", "count"),
        "each_discards": Form("each seat discards that many Plan cards of its choice", "count"),
        "each_discards_human": Form("each seat discards one Human watching it, of its choice"),
        "human_to_most_activities": Form("the leftmost Human of the row goes to the seat with most Activities"),
        "discard_energy": Form("all Energy in the row is discarded"),
        "turn_row": Form("the row is turned round"),
        "turn_direction": Form("the direction of play is turned"),
        "fewest_activities_draw": Form("the seats with the fewest Activities draw that many Plan cards", "count"),
        "lockdown": Form("nobody plays Plan cards in Preparation until the active seat's next turn"),
        "open_plan": Form("from now on the top Plan card lies face up; who draws takes it or the bottom one"),
    },
    # powers.py: what a Power does at one of its levels
    "level": {
        "counter_basic": Form("reaction: counters a Power played at Basic"),
        "counter_any": Form("reaction: counters a Power played at either level"),
        "protect": Form("no opponent can perform, move or discard an Activity until this seat's next turn"),
        "protect_and_claim": Form(
            "as protect, and the seat may claim that Activity in its next turn besides its action"
        ),
        "no_plan_cards": Form("an opponent plays no Plan cards in its next Preparation"),
        "skip_turn": Form("an opponent skips its next Preparation and Action"),
        "discard_choice": Form("an opponent discards that many Plan cards of its choice", "count", 1, 3),
        "discard_random": Form("an opponent discards that many Plan cards at random", "count", 1, 3),
        "lead_human": Form("leads a Human of the row to any seat at once"),
        "move_human": Form("moves a Human from in front of any seat to a different one (solo: to the discard pile)"),
        "swap_scan": Form("swaps two cards of the row"),
        "arrange_scan": Form("puts the row in any order"),
        "extra_perform": Form(
            "performs one more Activity this turn, worth at most that (no number: worth anything)",
            "at_most",
            0,
            20,
            True,
        ),
        "cloak_first": Form("Humans beside this turn's first Activity stay"),
        "cloak_all": Form("neither Humans nor Energy come along in this turn"),
    },
}

COUNTERS = ("counter_basic", "counter_any")


class UfoWaveEffect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An effect on a card: its name, and its number if it has one (only the one that its form names)."""

    effect: str
    count: int | None = None
    points: int | None = None
    change: int | None = None
    at_most: int | None = None


def fault(slot: Slot, effect: UfoWaveEffect) -> str | None:
    """What is wrong with this effect in this slot, as a sentence; None if nothing is."""
    forms = EFFECTS[slot]
    form = forms.get(effect.effect)
    if form is None:
        return f"the effect {effect.effect!r} does not exist here; those that exist are: {', '.join(forms)}"
    for name in ("count", "points", "change", "at_most"):
        number = getattr(effect, name)
        if name != form.number:
            if number is not None:
                return f"the effect {effect.effect!r} has no {name!r}"
        elif number is None:
            if not form.optional:
                return f"the effect {effect.effect!r} needs {name!r}"
        elif not form.lowest <= number <= form.highest:
            return f"{name!r} of the effect {effect.effect!r} must be from {form.lowest} to {form.highest}"
    return None
