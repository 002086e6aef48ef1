"""Wave: get rid of all cards together, though half of your hand is seen by everyone but you.

The game
    A co-operative game by Thomas Weber (KOSMOS, 2023). 34 cards, six suits from white to blue, numbers 0 to 5. A card
    goes on the discard pile if its number or its suit is higher than the top's. Each card in a hand faces either its
    holder or the rest of the team. Who can't play ends the game; the fewer cards remain the better. All rules with
    their sources: RULES.md.

Seats
    2 to 4. With two, Silver sits between seat 1 and seat 0 as a third place; both seats decide for him.

Options
    `strict` (false): an unseen card that does not fit ends the match. `first_seat` (0). `tips_per_turn` (20).

Moves
    `play` a card of one's hand by its id; one that its holder can't see may turn out a misfit and goes back.
    `propose_silver` on Silver's turn: equal proposals are played, three each, then the first seat after him prevails.
    Listed ascending by card id, all of them: no two moves are equivalent.

Anytime moves
    `tip`, for every seat while the match runs, in a closed vocabulary.

Events
    `played`, `misfit`, `drew`, `turned_up`, `proposed`, `tipped`, `match_finished`. `seat` is None for Silver's doings
    and for the end. Setting up has no event, unless the first seat is stuck: then it is the end.

Outcome
    `termination` (`all_played`, `stuck`, `misfit`), `remaining` (0 to 33), `rating`, and `returns`: minus the
    remaining cards, the same for every seat.

Bots
    `random` plays anything and says nothing. `surfer` plays the move that leaves the fewest cards in deals that agree
    with what it sees and was told, and tells each seat, in its turn, of the cards that it can't see (`reading`).

Longest match
    198 moves. 33 cards can be played, for one of the 34 starts the discard pile. A seat tries at most four misfits
    before each card that it plays, for it holds at most five cards and one of them fits: five moves. Silver's card
    takes at most six proposals. So no card takes more than six moves: 33 x 6.

Version history
    1: first version.
"""

from engines.kit.game import Game
from engines.wave.bot import default_move
from engines.wave.bots import BOTS
from engines.wave.cards import CATALOGUE, DECK_SIZE
from engines.wave.deal import setup
from engines.wave.events import EVENTS
from engines.wave.moves import WavePlay, WaveProposeSilver, WaveTip
from engines.wave.options import MAX_SEATS, MIN_SEATS, WaveOptions, check_options
from engines.wave.rules import apply, check, legal_moves, to_move
from engines.wave.scoring import WaveOutcome, outcome
from engines.wave.silver import PROPOSALS_PER_TURN
from engines.wave.state import WaveState
from engines.wave.view import WaveView, view_for

GAME = Game(
    key="wave",
    title="Wave",
    summary="Play ever higher cards together, though half of your hand is seen by everyone but you.",
    rules_version=1,
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    options=WaveOptions,
    moves=(WavePlay, WaveProposeSilver, WaveTip),
    state=WaveState,
    view=WaveView,
    ending=WaveOutcome,
    events=EVENTS,
    cards=CATALOGUE,
    rules={
        "W-fit": "A card fits if its number or its suit is higher than that of the top card of the discard pile.",
        "W-hand": "In your turn you play a card of your own hand.",
        "W-tips": "A seat gives at most `tips_per_turn` tips until the next card lies on the discard pile.",
        "W2": "A card that was tried and does not fit is not tried again until the top of the discard pile changes.",
        "W7": "A tip speaks of a card in a hand or face up with Silver; `mine` is a card of the teller, and only the "
        "two `if_played_` sentences have it.",
        "W9": "Each seat proposes one of Silver's face-up cards, on his turn only, and never the one that it proposes "
        "already.",
    },
    anytime=frozenset({"tip"}),
    bots=BOTS,
    max_moves=(DECK_SIZE - 1) * 2 * PROPOSALS_PER_TURN,
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
"""Wave, whole."""

__all__ = ["GAME"]
