"""The set-up: Species, the decks, the row and the hands. Rules: R Setup, Alternative Rules, U1, U18, U20.

The labels and orders of the shuffles are part of the deal that everybody can check (docs/deal.md).
"""

from engines.kit.chance import Chance
from engines.kit.game import Step
from engines.ufo_wave.card_set import HAND, ROW
from engines.ufo_wave.cards import Cards
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWavePhaseBegun, UfoWaveRowDealt, UfoWaveSpeciesChosen
from engines.ufo_wave.options import UfoWaveOptions
from engines.ufo_wave.state import UfoWaveSeatState, UfoWaveState
from engines.ufo_wave.turn import begin_turn, go_on

EVENTS_USED = 2


def set_up(options: UfoWaveOptions, cards: Cards, seats: int, chance: Chance) -> Step:
    """The position in which the first choice is asked: of a Species, or in the first turn. Options fit the seats."""
    solo = options.mode == "solo"
    events = () if solo else chance.shuffle("events", cards.event_deck)[-EVENTS_USED:]
    species = chance.shuffle("species", range(len(cards.species))) if options.mode == "covert" else ()
    state = UfoWaveState(
        chance=chance,
        cards=cards.stored,
        mode=options.mode,
        phase="species",
        active=options.first_seat,
        direction=1,
        seats=tuple(UfoWaveSeatState(species=species[-1 - seat] if species else None) for seat in range(seats)),
        turned=(),
        row=(),
        # Until the row is dealt the two Events lie under the Scan deck.
        scan_deck=events + chance.shuffle("scan", cards.scan_deck),
        scan_discard=(),
        plan_deck=chance.shuffle("plan", cards.solo_deck if solo else cards.plan_deck),
        plan_discard=(),
    )
    draft = Draft(state)
    if options.mode == "standard":
        draft.tell("phase", None, UfoWavePhaseBegun(options.first_seat, "species"))
    else:
        _deal(draft)
    return draft.close()


def choose_species(draft: Draft, seat: int, species: int) -> None:
    """The seat takes the Species; after the last choice the cards are dealt and the first turn begins. Rules: U1."""
    draft.seats[seat].species = species
    draft.tell("species_chosen", seat, UfoWaveSpeciesChosen(draft.cards.species[species].key))
    draft.active = (seat + 1) % len(draft.seats)
    if all(about.species is not None for about in draft.seats):
        # Once round the table: the next seat is the first again.
        _deal(draft)
    else:
        draft.tell("phase", None, UfoWavePhaseBegun(draft.active, "species"))


def _deal(draft: Draft) -> None:
    draft.turned = [draft.scan_deck.pop() for _ in range(ROW)]
    draft.row = list(range(1, ROW + 1))
    if draft.mode != "solo":
        draft.scan_deck = list(draft.chance.shuffle("scan/2", sorted(draft.scan_deck)))
    draft.tell("row_dealt", None, UfoWaveRowDealt(draft.open_row()))
    for about in draft.seats:
        for _ in range(HAND):
            about.gain(draft.plan_deck.pop())
    draft.restock()
    begin_turn(draft, draft.active)
    go_on(draft)
