"""What is a move worth to the rider? Everything is counted in one unit: a turn that it saves or costs.

A hand costs what its plan costs: one turn for each formation, less for one that is likely to win a trick or can be a
bomb. A move is worth the hand that it leaves, the lead that it may win, and what it gives away.
"""

from engines.onda.cards import Pile, pile_of, with_card, without
from engines.onda.formations import Formation, Shape, formation_of
from engines.onda.moves import OndaBomb, OndaFollow, OndaTurnTide
from engines.onda.odds import OndaOdds
from engines.onda.plan import OndaPlans
from engines.onda.scoring import FACE_DOWN_COSTS, cost_of
from engines.onda.view import OndaView

CONTROL = 0.8
"""What a formation that surely wins a trick saves when its time comes."""
LEAD = 0.7
"""What it is worth to win this trick: less than `CONTROL`, so the weaker of two is laid first."""
BOMB = 0.3
"""What it is worth that a formation can be a bomb: not enough to hold one back that fits, but bombs come late."""
FACE_DOWN = 0.9
"""What a card face down is worth, a wild or a turned tide later."""
RUN = 3.0
"""What it is worth to go out for sure before anybody else has the lead."""
DOT = 0.3
"""What a point is worth that would be lost now."""
NEAR = (0.0, 1.0, 0.7, 0.45, 0.25)
"""By the fewest cards in a rival's hand: how much the round's end counts, which makes leads and points dear."""
SHORT = 8
"""A run is looked for in what leaves at most so many cards; in more there is none."""
OUT = 1000.0
"""Going out: more than everything else."""


class OndaWorth:
    """The account of one seat at one moment, with this shape as the bomb. Nothing is read but the view."""

    def __init__(self, view: OndaView, bomb: Shape) -> None:
        self.hand = pile_of(view.hand or ())
        self._odds = OndaOdds(view)
        self._bomb = bomb
        self._bomb_played = view.bomb_played
        self._high = view.tide == "high"
        self._blocked = view.status == "blocked"
        self._fewest = min(seat.hand_size for seat in view.seats if seat.seat != view.viewer)
        self._near = NEAR[self._fewest] if self._fewest < len(NEAR) else 0.0
        self._plans: dict[bool, OndaPlans] = {}
        self._laid: dict[tuple[int, Pile, type], float] = {}

    def of_hand(self, hand: Pile, *, turned: bool = False) -> float:
        """What it is worth to hold these cards at the end of a trick, the tide as it is or turned: minus their cost."""
        return -self._plan(turned).cost(hand)

    def of_lay(self, move: OndaFollow | OndaBomb | OndaTurnTide) -> float:
        """What it is worth to lay this. Which card is the wild makes no difference: it is reckoned once."""
        before = with_card(self.hand, move.take) if isinstance(move, OndaTurnTide) else self.hand
        formation = _formation(move)
        key = formation.index, before, type(move)
        if key not in self._laid:
            self._laid[key] = self._of_lay(formation, before, type(move))
        return self._laid[key]

    def _of_lay(self, formation: Formation, before: Pile, kind: type) -> float:
        """`before`: the hand, with what is taken back to turn the tide."""
        left = without(before, formation.need)
        if not left:
            return OUT
        turned = kind is OndaTurnTide
        stays = self._stays(formation, turned=turned, bombs=kind is OndaBomb)
        worth = self.of_hand(left, turned=turned) + LEAD * stays + RUN * stays * self._run(left, turned)
        takes_up = turned or formation.wild_as is not None
        if takes_up:
            worth -= FACE_DOWN
        if self._near:
            points = cost_of(self.hand) - cost_of(left) + FACE_DOWN_COSTS * takes_up
            worth += self._near * (stays + DOT * points - self._invites(formation, stays))
        return worth

    def _invites(self, formation: Formation, stays: float) -> float:
        """How likely the rival with the fewest cards could go out over it."""
        return 1 - stays if formation.size == self._fewest else 0.0

    def _stays(self, formation: Formation, *, turned: bool, bombs: bool) -> float:
        """How likely it is to win this trick."""
        bomb = None if bombs or self._bomb_played else self._bomb
        return self._odds.stays(
            formation.shape,
            formation.number,
            high=self._high is not turned,
            can_turn=not (turned or self._blocked),
            bomb=bomb,
            rivals=self._odds.rivals_in_trick,
        )

    def _run(self, left: Pile, turned: bool) -> float:
        """How likely it is, with the lead, to lay one formation after the other: all but the last have to stay."""
        if left.bit_count() > SHORT:
            return 0.0
        _, *others = sorted(self._as_lead(formation, turned) for formation in self._plan(turned).pieces(left))
        run = 1.0
        for stays in others:
            run *= stays
        return run

    def _plan(self, turned: bool) -> OndaPlans:
        if turned not in self._plans:
            self._plans[turned] = OndaPlans(lambda formation: self._cost(formation, turned))
        return self._plans[turned]

    def _cost(self, formation: Formation, turned: bool) -> float:
        return 1 - CONTROL * self._as_lead(formation, turned) - BOMB * (formation.shape == self._bomb)

    def _as_lead(self, formation: Formation, turned: bool) -> float:
        """How likely it is to win a later trick."""
        return self._odds.stays(
            formation.shape,
            formation.number,
            high=self._high is not turned,
            can_turn=True,
            bomb=self._bomb,
            rivals=self._odds.rivals,
        )


def _formation(move: OndaFollow | OndaBomb | OndaTurnTide) -> Formation:
    wild = None if isinstance(move, OndaTurnTide) else move.wild
    formation = formation_of(move.cards, None if wild is None else wild.stands_for)
    assert formation is not None, "a legal move lays a formation"
    return formation
