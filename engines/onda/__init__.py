"""Onda: ride the wave, be the first without a card, or hold the fewest.

The game
    A climbing game by Arthur Lacerda (2024). 60 cards, 1 to 15 in two suits, two copies of each. Singles, sequences and
    sets are beaten by the same formation with a higher number, or a lower one when the tide is low. Two cards lie face
    down before each seat: a wild, or the price of turning the tide. A bomb beats everything else. All rules with their
    sources: RULES.md.

Seats
    2 to 5, 15 cards each (12 among five), 3 or 4 rounds.

Options
    `rounds` (4). `first_seat` (0): starts round 1.

Moves
    `set_aside` two cards, all seats at once. `keep_bomb` or `skip_bomb`, the starting seat from round 2 on. Then in
    tricks: `follow` (a lead is a follow on an empty table), `turn_tide`, `bomb`, `pass`.
    Equivalent moves: the cards in any order, and either suit for a wild in a single or a set. What is listed, and what
    states, events and views show, has the cards sorted and the suit green. The order of the list: RULES.md §10.1.

Anytime moves
    None.

Events
    `round_started`, `bomb_kept`, `bomb_skipped`, `set_aside`, `followed`, `tide_turned`, `bombed`, `passed`,
    `trick_ended`, `round_ended`, `match_finished`. `seat` is None for the starts and ends. Setting up has one event:
    round 1 starts.

Outcome
    `termination` (`rounds_played`), `points`, `went_out` (rounds gone out, by seat), `winners`, `returns`: the points.

Bots
    `random` plays any legal move. `rider` cuts its hand into few strong formations, lays the weak ones early, and keeps
    wilds and bombs for going out (`rider`).

Longest match
    1,127 moves, proved in RULES.md §11 and computed below.

Version history
    1: first version.
"""

from types import MappingProxyType

from engines.kit.game import CatalogueCard, Game
from engines.onda.bot import default_move
from engines.onda.bots import BOTS
from engines.onda.cards import CATALOGUE, NUMBER, SUIT, dots
from engines.onda.events import EVENTS
from engines.onda.legality import RULES
from engines.onda.listing import legal_moves
from engines.onda.moves import MOVES
from engines.onda.options import MAX_ROUNDS, MAX_SEATS, MIN_SEATS, OndaOptions, check_options
from engines.onda.rounds import cards_each, outcome, setup
from engines.onda.rules import apply, check
from engines.onda.scoring import OndaOutcome
from engines.onda.state import OndaState, to_move
from engines.onda.view import OndaView, view_for


def _longest_match() -> int:
    """No match has more moves: n seats with c cards lay at most n(c - 1) + 1 times a round. Rules: §11."""
    lays = {seats: seats * (cards_each(seats) - 1) + 1 for seats in range(MIN_SEATS, MAX_SEATS + 1)}
    a_round = max(seats * lays[seats] + 1 for seats in lays)
    return MAX_ROUNDS * a_round + MAX_ROUNDS - 1


GAME = Game(
    key="onda",
    title="Onda",
    summary="Beat what lies on the table, high or low as the tide runs, and be the first without a card.",
    rules_version=1,
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    options=OndaOptions,
    moves=MOVES,
    state=OndaState,
    view=OndaView,
    ending=OndaOutcome,
    events=MappingProxyType(EVENTS),
    cards=tuple(
        CatalogueCard(code=code, name=f"{SUIT[code]} {NUMBER[code]}", count=2, points=dots(NUMBER[code]))
        for code in CATALOGUE
    ),
    rules=MappingProxyType(RULES),
    anytime=frozenset(),
    bots=BOTS,
    max_moves=_longest_match(),
    check_options=check_options,
    setup=setup,
    to_move=to_move,
    check=check,
    legal_moves=legal_moves,
    apply=apply,
    view_for=view_for,
    default_move=default_move,
    outcome=outcome,
)
