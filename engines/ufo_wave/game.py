"""The Game record of UFO Wave over any number of card sets.

The house set is always among them. A server that has more card sets calls `extend` once, when it starts, with the
texts of the files; a match keeps the whole of a set that is not the house set, so a later change does not touch it.
"""

from collections.abc import Mapping, Sequence

from engines.kit.chance import Chance
from engines.kit.game import Game, Step
from engines.ufo_wave import options as chosen
from engines.ufo_wave.apply import apply
from engines.ufo_wave.bots import BOTS
from engines.ufo_wave.card_set import CardSetError, parse
from engines.ufo_wave.cards import HOUSE, Cards, cards_of, catalogue
from engines.ufo_wave.check import RULES, check
from engines.ufo_wave.default import default_move
from engines.ufo_wave.events import EVENTS
from engines.ufo_wave.legal import legal_moves, to_move
from engines.ufo_wave.length import max_moves
from engines.ufo_wave.moves import MOVES
from engines.ufo_wave.options import UfoWaveOptions
from engines.ufo_wave.scoring import UfoWaveOutcome, outcome
from engines.ufo_wave.setup import set_up
from engines.ufo_wave.state import UfoWaveState
from engines.ufo_wave.view import UfoWaveView, view_for

RULES_VERSION = 1


def read_card_sets(texts: Mapping[str, str]) -> tuple[Cards, ...]:
    """The card sets of these files (name -> text), in the order of their names.

    Raises `CardSetError` with the file, the card and the reason; also for a key that two sets share.
    """
    found = {HOUSE.source.key: HOUSE}
    for file in sorted(texts):
        cards = Cards(parse(texts[file], file))
        if cards.source.key in found:
            raise CardSetError(file, "the file", f"the key {cards.source.key!r} belongs to another card set")
        found[cards.source.key] = cards
    return tuple(cards for cards in found.values() if cards is not HOUSE)


def make_game(further: Sequence[Cards] = ()) -> Game:
    """The record, with the house set and these further ones to choose from."""
    sets: Mapping[str, Cards] = {cards.source.key: cards for cards in (HOUSE, *further)}

    def check_options(options: UfoWaveOptions, seats: int) -> None:
        chosen.check(options, seats, sets)

    def setup(options: UfoWaveOptions, seats: int, chance: Chance) -> Step:
        return set_up(options, chosen.chosen_cards(options, sets), seats, chance)

    return Game(
        key="ufo-wave",
        title="UFO Wave",
        summary="Command a Species: perform Activities that Humans guard, play Powers, and win most ET points.",
        rules_version=RULES_VERSION,
        min_seats=1,
        max_seats=6,
        options=UfoWaveOptions,
        moves=MOVES,
        state=UfoWaveState,
        view=UfoWaveView,
        ending=UfoWaveOutcome,
        events=EVENTS,
        cards=catalogue(HOUSE.source),
        card_sets={cards.source.key: catalogue(cards.source) for cards in further},
        rules=RULES,
        anytime=frozenset({"set_reactions"}),
        bots=BOTS,
        max_moves=max(max_moves(cards) for cards in sets.values()),
        check_options=check_options,
        setup=setup,
        to_move=to_move,
        check=check,
        legal_moves=legal_moves,
        apply=apply,
        view_for=view_for,
        default_move=default_move,
        outcome=_outcome,
        extend=lambda texts: make_game(read_card_sets(texts)),
        settle=lambda options: chosen.settled(options, sets),
    )


def _outcome(state: UfoWaveState) -> UfoWaveOutcome | None:
    return outcome(state, cards_of(state.cards)) if state.phase == "over" else None
