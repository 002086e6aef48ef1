"""Dealing a round, and what happens when one ends. Rules: RULES.md §2, §8.2, §9; O5, O12, O14, O15, O21."""

from msgspec.structs import replace

from engines.kit.chance import Chance
from engines.kit.game import Event, Step
from engines.onda.cards import DECK, Pile, codes, pile_of
from engines.onda.events import OndaMatchFinished, OndaRoundEnded, OndaRoundStarted
from engines.onda.formations import BOMB_LETTERS, BOMBS
from engines.onda.options import OndaOptions, check_options
from engines.onda.scoring import START_POINTS, OndaOutcome, changes, final_outcome, next_starter
from engines.onda.state import OndaState, replace_at


def setup(options: OndaOptions, seats: int, chance: Chance) -> Step:
    """Round 1, dealt; seats from 2 to 5. Raises InvalidOptions. Rules: §2, O15, O21."""
    check_options(options, seats)
    hands, undealt = _deal(chance, 1, seats)
    nothing = (0,) * seats
    state = OndaState(
        chance=chance,
        rounds=options.rounds,
        round=1,
        phase="set_aside",
        high=True,
        blocked=False,
        bomb=0,
        bomb_played=False,
        leader=options.first_seat,
        turn=options.first_seat,
        passed=0,
        on_table="nothing",
        hands=hands,
        face_down=nothing,
        wilds_used=nothing,
        known=nothing,
        undealt=undealt,
        points=(START_POINTS,) * seats,
        went_out=nothing,
        played=(),
    )
    return Step(state, (_round_started(state),))


def _deal(chance: Chance, number: int, seats: int) -> tuple[tuple[Pile, ...], Pile]:
    """The hands, and what is left: one card to each seat in turn from seat 0, off the top. Rules: §2.2."""
    deck = chance.shuffle(f"round/{number}", DECK)[::-1]
    dealt = seats * cards_each(seats)
    return tuple(pile_of(deck[seat:dealt:seats]) for seat in range(seats)), pile_of(deck[dealt:])


def cards_each(seats: int) -> int:
    """15, or 12 among five. Rules: §2.2."""
    return 12 if seats == 5 else 15


def end_round(state: OndaState, out: int) -> Step:
    """Seat `out` has no card in hand: count, then deal the next round or end the match.

    The bomb card moves on if a bomb was played in this trick. Rules: §8.2, §8.3, §9; O12.
    """
    change = changes(out, state.hands, state.face_down)
    points = tuple(before + by for before, by in zip(state.points, change, strict=True))
    counted = replace(
        state,
        points=points,
        went_out=replace_at(state.went_out, out, state.went_out[out] + 1),
        bomb=bomb_after(state),
    )
    ended = Event(
        "round_ended",
        None,
        OndaRoundEnded(
            went_out=out,
            hands=tuple(map(codes, state.hands)),
            face_down=tuple(map(codes, state.face_down)),
            wilds_used=tuple(map(codes, state.wilds_used)),
            change=change,
            points=points,
        ),
    )
    if state.round == state.rounds:
        return _finish(counted, ended)
    return _next_round(counted, ended, out)


def bomb_after(state: OndaState) -> int:
    """The bomb card once this trick is over: the next one if a bomb was played, F before A. Rules: §7.2, §8.1."""
    return (state.bomb + 1) % len(BOMBS) if state.bomb_played else state.bomb


def _finish(counted: OndaState, ended: Event) -> Step:
    """Everything stays as the last round left it. Rules: §9.4."""
    outcome = final_outcome(counted.points, counted.went_out)
    return Step(replace(counted, phase="over"), (ended, Event("match_finished", None, OndaMatchFinished(outcome))))


def _next_round(counted: OndaState, ended: Event, out: int) -> Step:
    """Dealt, the status Allowed, the tide as it was; the starter decides about the bomb. Rules: §9.1-3; O5, O16."""
    seats = len(counted.hands)
    hands, undealt = _deal(counted.chance, counted.round + 1, seats)
    nothing = (0,) * seats
    starter = next_starter(counted.points, out)
    state = replace(
        counted,
        round=counted.round + 1,
        phase="choose_bomb",
        blocked=False,
        bomb_played=False,
        leader=starter,
        turn=starter,
        passed=0,
        on_table="nothing",
        hands=hands,
        face_down=nothing,
        wilds_used=nothing,
        known=nothing,
        undealt=undealt,
        played=(),
    )
    return Step(state, (ended, _round_started(state)))


def _round_started(state: OndaState) -> Event:
    return Event("round_started", None, OndaRoundStarted(state.round, state.leader, BOMB_LETTERS[state.bomb]))


def outcome(state: OndaState) -> OndaOutcome | None:
    """How the match ended; None while it runs. Rules: §9.4, O19."""
    return final_outcome(state.points, state.went_out) if state.phase == "over" else None
