"""Onda."""

from types import MappingProxyType

from engines.kit.game import CatalogueCard, Game
from engines.onda.absent import default_move
from engines.onda.cards import CATALOGUE, NUMBER, dots
from engines.onda.events import EVENTS
from engines.onda.legality import RULES
from engines.onda.listing import legal_moves
from engines.onda.moves import MOVES
from engines.onda.options import OndaOptions, check_options
from engines.onda.rounds import outcome, setup
from engines.onda.rules import apply, check
from engines.onda.scoring import OndaOutcome
from engines.onda.state import OndaState, to_move
from engines.onda.view import OndaView, view_for

GAME = Game(
    key="onda",
    title="Onda",
    summary="Beat what lies on the table, high or low as the tide runs, and be the first without a card.",
    rules_version=1,
    min_seats=2,
    max_seats=5,
    options=OndaOptions,
    moves=MOVES,
    state=OndaState,
    view=OndaView,
    ending=OndaOutcome,
    events=MappingProxyType(EVENTS),
    cards=tuple(
        CatalogueCard(
            code=code,
            name=f"{'green' if code[0] == 'g' else 'blue'} {NUMBER[code]}",
            count=2,
            points=dots(NUMBER[code]),
        )
        for code in CATALOGUE
    ),
    rules=MappingProxyType(RULES),
    anytime=frozenset(),
    max_moves=1127,
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
"""Onda, filled in."""
