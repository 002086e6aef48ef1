"""What may the whole position be? Deals, by chance, of all the cards that a seat can't see."""

import msgspec

from engines.kit.chance import Chance
from engines.wave.ease import ALL, BIT, OVER, faces_in
from engines.wave.reading import possible
from engines.wave.ride import WaveWater
from engines.wave.story import turns
from engines.wave.view import WaveView


class WaveSight(msgspec.Struct, frozen=True):
    """What a seat sees and concludes. Sets of faces, and single faces, as in `ease`."""

    hands: list[int]
    """By place, Silver last: the set of the faces that it sees there."""
    open: dict[int, int]
    """Card id -> face, for each card that it may choose and sees: its own, and Silver's."""
    unseen: list[tuple[int, int, int]]
    """(card, place, what it may be) for each card in a hand that it can't see, the surest first."""
    loose: list[int]
    """Every face that it can't see, wherever it is."""
    down: int
    """How many cards lie face down with Silver."""
    silver: int
    """Silver's place, -1 without him."""


def look(view: WaveView) -> WaveSight:
    """What the viewer, a seat, sees and concludes from its view, in a match that runs."""
    faces = {card.card: BIT[card.face] for hand in view.hands for card in hand.cards if card.face is not None}
    hands = [sum(faces.get(card.card, 0) for card in hand.cards) for hand in view.hands]
    choices = {card.card: faces[card.card] for card in view.hands[view.viewer or 0].cards if card.card in faces}
    if view.silver is not None:
        silvers = {card.card: BIT[card.face] for card in view.silver.face_up}
        hands.append(sum(silvers.values()))
        choices |= silvers
    loose = ALL & ~sum(hands) & ~sum(BIT[code] for code in view.discard)
    return WaveSight(
        hands,
        choices,
        _unseen(view, loose),
        faces_in(loose),
        view.silver.face_down if view.silver is not None else 0,
        len(view.hands) if view.silver is not None else -1,
    )


def _unseen(view: WaveView, loose: int) -> list[tuple[int, int, int]]:
    """The tips that it got tell the viewer of its own cards, and so does a misfit; others' cards may be anything."""
    story = turns(view)
    found = []
    for hand in view.hands:
        for card in hand.cards:
            if card.face is not None:
                continue
            allowed = loose
            if hand.seat == view.viewer:
                allowed = possible(view, story, card.card, hand.seat) & loose or loose
                if card.card in view.misfits:
                    allowed = allowed & ~OVER[BIT[view.top.face]] or allowed
            found.append((card.card, hand.seat, allowed))
    return sorted(found, key=lambda slot: slot[2].bit_count())


def deal(seen: WaveSight, chance: Chance, label: str) -> tuple[WaveWater, dict[int, int]]:
    """A position that may be the real one, and card id -> face for the unseen cards in hands.

    The surest card takes the first face that it may be, and so on. If none is left for a card, it takes any.
    """
    loose = list(chance.shuffle(label, seen.loose))
    hands, faces = seen.hands.copy(), {}
    for card, place, allowed in seen.unseen:
        at = next((at for at, face in enumerate(loose) if face & allowed), 0)
        faces[card] = loose.pop(at)
        hands[place] |= faces[card]
    return WaveWater(hands, loose[: seen.down], loose[seen.down :], seen.silver), faces
