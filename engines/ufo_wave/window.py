"""The window in which a Power may be countered. Rules: R Missing Time, U10, U12, U13.

It opens for all opponents alike, whatever they hold, and closes when all have answered. Until then a counter is known
to nobody but its seat, and its cards stay in the hand.
"""

from engines.ufo_wave import powers
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWaveAnswered, UfoWavePowerPlayed, UfoWaveWindowClosed
from engines.ufo_wave.moves import Level, UfoWaveTarget
from engines.ufo_wave.position import turn_order
from engines.ufo_wave.state import UfoWaveAnswer, UfoWaveWindow

LEVELS: tuple[Level, Level] = ("basic", "advanced")
ALLOWED = UfoWaveAnswer()


def play(draft: Draft, seat: int, power: int, level: int, craft: int | None, target: UfoWaveTarget | None) -> None:
    """The Power and its Craft leave the hand; the window opens, or in solo the Power takes effect. Level 0 is Basic."""
    for card in (power, craft):
        if card is not None:
            draft.seats[seat].lose(card)
    keys = draft.cards.plan
    craft_key = keys[craft].key if craft is not None else None
    draft.tell("power_played", seat, UfoWavePowerPlayed(keys[power].key, LEVELS[level], craft_key, target))
    draft.window = UfoWaveWindow(power, level, craft, target, (None,) * len(draft.seats))
    for opponent, about in enumerate(draft.seats):
        if opponent != seat and not about.asks:
            answer(draft, opponent, ALLOWED)
    if len(draft.seats) == 1:
        _take_effect(draft, draft.window)


def answer(draft: Draft, seat: int, what: UfoWaveAnswer) -> None:
    """One seat answers; the last answer closes the window."""
    assert draft.window is not None
    window = draft.window
    answers = tuple(what if other == seat else given for other, given in enumerate(window.answers))
    draft.window = UfoWaveWindow(window.power, window.level, window.craft, window.target, answers)
    draft.tell("answered", seat, UfoWaveAnswered())
    if sum(given is None for given in answers) == 1:  # the seat that played it does not answer
        _close(draft, draft.window)


def _close(draft: Draft, window: UfoWaveWindow) -> None:
    """The first counter in turn order counts, and only that one is shown or spent. Rules: U13."""
    for seat in turn_order(draft):
        given = window.answers[seat]
        if given is not None and given.level > 0:
            _counter(draft, window, seat, given)
            return
    draft.tell("window_closed", None, UfoWaveWindowClosed(None, None, None))
    _take_effect(draft, window)


def _counter(draft: Draft, window: UfoWaveWindow, seat: int, given: UfoWaveAnswer) -> None:
    """The Power has no effect; its cards and the counter's are discarded. Rules: R, U10, U12."""
    assert draft.cards.counter is not None
    spent = [card for card in (draft.cards.counter, given.craft) if card is not None]
    for card in spent:
        draft.seats[seat].lose(card)
    draft.window = None
    draft.discard_plan([card for card in (window.power, window.craft) if card is not None] + spent)
    craft_key = draft.cards.plan[given.craft].key if given.craft is not None else None
    draft.tell("window_closed", None, UfoWaveWindowClosed(seat, LEVELS[given.level - 1], craft_key))


def _take_effect(draft: Draft, window: UfoWaveWindow) -> None:
    levels = draft.cards.plan[window.power].levels
    assert levels is not None
    draft.window = None
    cards = [] if powers.lies_on_the_row(levels[window.level]) else [window.power]
    if window.craft is not None:
        cards.append(window.craft)
    draft.discard_plan(cards)
    powers.resolve(draft, draft.active, window.power, window.level, window.target)
