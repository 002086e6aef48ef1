"""Who may tell what about which card? Rules: §6, W7."""

from msgspec.structs import replace

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.kit.game import Event, Step
from engines.wave.events import WaveTipped
from engines.wave.moves import SAYS, SAYS_WITH_MINE, WaveTip
from engines.wave.state import WaveState, WaveTold


def check_tip(state: WaveState, seat: int, tip: WaveTip) -> None:
    """Raises NotYourTurn: the match is over, no such seat; IllegalMove: too many tips (W-tips), then what the tip
    speaks of (W7): `about` lies elsewhere, `mine` missing or not wanted, `mine` not in the teller's hand.

    Where a card lies is public, so nothing is judged that the seat can't see. Rules: §6.
    """
    if state.termination is not None:
        raise NotYourTurn("The match is over.")
    if not 0 <= seat < len(state.hands):
        raise NotYourTurn(f"There is no seat {seat} at this table.")
    if state.told[seat] >= state.tips_per_turn:
        raise IllegalMove("W-tips", _too_many(state.tips_per_turn))
    if not _on_the_table(state, tip.about):
        raise IllegalMove("W7", f"Card {tip.about} is neither in a hand nor face up with Silver.")
    if tip.says in SAYS_WITH_MINE:
        if tip.mine is None:
            raise IllegalMove("W7", f"`{tip.says}` needs one of your own cards as `mine`.")
        if tip.mine not in state.hands[seat]:
            raise IllegalMove("W7", f"Card {tip.mine} is not in your hand, so it can't be `mine`.")
    elif tip.mine is not None:
        raise IllegalMove("W7", f"`{tip.says}` speaks of one card only: leave `mine` out.")


def give_tip(state: WaveState, seat: int, tip: WaveTip) -> Step:
    """Keeps a tip that has been checked. Rules: §6.1."""
    version = state.version + 1
    told = WaveTold(seat, tip.about, SAYS.index(tip.says), tip.mine, version)
    counts = tuple(count + (other == seat) for other, count in enumerate(state.told))
    after = replace(state, tips=(*state.tips, told), told=counts, version=version)
    return Step(after, (Event("tipped", seat, WaveTipped(tip.about, tip.says, tip.mine)),))


def _on_the_table(state: WaveState, card: int) -> bool:
    return any(card in hand for hand in state.hands) or (state.silver is not None and card in state.silver.face_up)


def _too_many(limit: int) -> str:
    if limit == 0:
        return "This match is played without tips."
    return f"Tips are limited to {limit} for each seat until the next card lies on the discard pile."
