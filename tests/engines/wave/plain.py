"""A second, plain account of Wave: slow, in dicts and lists, sharing no code with the engine.

It keeps a match on a table of named places, and answers what the engine answers, as parsed JSON: `to_move`, `legal`,
`refusal` (the rule id), `play`, `view`, `outcome`. The tests let both play the same matches.
"""

from hashlib import sha256
from typing import Any

Move = dict[str, Any]

COLOURS = "wyortb"  # low to high
ONE_CARD = ("can_play", "cannot_play", "should_play", "should_not_play")
TWO_CARDS = ("if_played_i_can", "if_played_i_cannot")


def all_cards() -> list[str]:
    cards = [colour + str(number) for colour in COLOURS for number in range(6)]
    cards.remove("w0")
    cards.remove("b5")
    return cards


def shuffled(seed_text: str) -> list[str]:
    """The shuffled deck, the first to be drawn first, from the byte specification and hashlib alone."""
    seed = sha256(b"shorebreak/fixed/1\n" + seed_text.encode()).digest()
    numbers: list[int] = []
    for i in range(20):
        block = sha256(seed + b"\x00\x04deck" + i.to_bytes(8, "big")).digest()
        numbers += [int.from_bytes(block[k : k + 4], "big") for k in range(0, 32, 4)]
    cards = all_cards()
    for i in range(33, 0, -1):
        while numbers[0] >= 2**32 - 2**32 % (i + 1):
            numbers.pop(0)
        j = numbers.pop(0) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards[::-1]


def may_lie_on(card: str, top: str) -> bool:
    higher_number = int(card[1]) > int(top[1])
    higher_colour = COLOURS.index(card[0]) > COLOURS.index(top[0])
    return higher_number or higher_colour


class Card:
    """A card on the table. `facing` is holder or team in a hand, up or down with Silver."""

    def __init__(self, number: int, face: str, facing: str) -> None:
        self.id = number
        self.face = face
        self.facing = facing
        self.tried = False


class PlainWave:
    """One match, changed by every move. `deck` holds face codes, the first to be drawn first."""

    def __init__(self, deck: list[str], seats: int, strict: bool, first_seat: int, tips_per_turn: int) -> None:
        self.strict = strict
        self.tips_per_turn = tips_per_turn
        self.place: Any = first_seat
        self.lay_out(deck, 1, [(3, 2)] * seats, (2, 3))
        self.look_whether_stuck()

    def lay_out(self, deck: list[str], discards: int, hands: list[tuple[int, int]], silver: tuple[int, int]) -> None:
        """Cards from the top: the discard pile, what faces each holder, what faces each team, Silver's down and up."""
        self.stock = list(deck)
        self.seats = list(range(len(hands)))
        self.given = 0
        self.pile = [self.draw("open") for _ in range(discards)]
        self.cards: dict[Any, list[Card]] = {seat: [] for seat in self.seats}
        for kind, facing in enumerate(("holder", "team")):
            for seat in self.seats:
                for _ in range(hands[seat][kind]):
                    self.cards[seat].append(self.draw(facing))
        self.order: list[Any] = list(self.seats)
        if len(hands) == 2:
            self.order.append("silver")
            self.cards["silver"] = [self.draw(facing) for facing in ["down"] * silver[0] + ["up"] * silver[1]]
        self.turned = False
        self.wishes: dict[int, list[int]] = {0: [], 1: []}
        self.tips: list[dict[str, Any]] = []
        self.tips_left = dict.fromkeys(self.seats, self.tips_per_turn)
        self.version = 0
        self.end: str | None = None
        self.log: list[tuple[str, Any, dict[str, Any]]] = []

    # What is on the table

    def draw(self, facing: str) -> Card:
        self.given += 1
        return Card(self.given, self.stock.pop(0), facing)

    @property
    def top(self) -> Card:
        return self.pile[-1]

    def fits(self, card: Card) -> bool:
        return may_lie_on(card.face, self.top.face)

    def left_over(self) -> int:
        return len(self.stock) + sum(len(cards) for cards in self.cards.values())

    def find(self, place: Any, number: int) -> Card | None:
        for card in self.cards[place]:
            if card.id == number:
                return card
        return None

    def silver_up(self) -> list[Card]:
        return [card for card in self.cards.get("silver", []) if card.facing == "up"]

    # Who may do what

    def to_move(self) -> list[int]:
        if self.end:
            return []
        if self.place != "silver":
            return [self.place]
        silent = [seat for seat in self.seats if not self.wishes[seat]]
        if silent:
            return silent
        return [seat for seat in self.seats if len(self.wishes[seat]) < 3]

    def refusal(self, seat: int, move: Move) -> str | None:
        """The id of the rule against the move, `turn` if it is not the seat's turn, None if it is allowed."""
        if move["type"] == "tip":
            return self.refusal_of_tip(seat, move)
        if seat not in self.to_move():
            return "turn"
        if (move["type"] == "propose_silver") != (self.place == "silver"):
            return "W9"
        if move["type"] == "propose_silver":
            offered = [card for card in self.silver_up() if card.id == move["card"]]
            if not offered:
                return "W9"
            if not self.fits(offered[0]):
                return "W-fit"
            return "W9" if self.wishes[seat][-1:] == [move["card"]] else None
        card = self.find(seat, move["card"])
        if card is None:
            return "W-hand"
        if card.facing == "holder":
            return None if self.fits(card) else "W-fit"
        return "W2" if card.tried else None

    def refusal_of_tip(self, seat: int, tip: Move) -> str | None:
        if self.end:
            return "turn"
        if self.tips_left[seat] == 0:
            return "W-tips"
        open_to_talk = [card for place in self.order for card in self.cards[place] if card.facing != "down"]
        if tip["about"] not in [card.id for card in open_to_talk]:
            return "W7"
        if tip["says"] in TWO_CARDS:
            return None if tip["mine"] in [card.id for card in self.cards[seat]] else "W7"
        return None if tip["mine"] is None else "W7"

    def legal(self, seat: int) -> list[Move]:
        """All moves but tips, by trying every id there is."""
        moves = [{"type": kind, "card": number} for kind in ("play", "propose_silver") for number in range(36)]
        return [move for move in moves if self.refusal(seat, move) is None]

    # What happens

    def play(self, seat: int, move: Move) -> list[tuple[str, Any, dict[str, Any]]]:
        """Makes an allowed move and tells the events: type, seat, data."""
        assert self.refusal(seat, move) is None
        self.log = []
        self.version += 1
        if move["type"] == "tip":
            self.tips_left[seat] -= 1
            told = {"about": move["about"], "says": move["says"], "mine": move["mine"]}
            self.tips.append({"seat": seat, **told, "version": self.version})
            self.log.append(("tipped", seat, told))
        elif move["type"] == "propose_silver":
            self.wishes[seat].append(move["card"])
            self.log.append(("proposed", seat, {"card": move["card"]}))
            self.see_whether_silver_plays()
        else:
            card = self.find(seat, move["card"])
            assert card is not None
            if self.fits(card):
                self.lay(seat, card)
            else:
                card.tried = True
                self.log.append(("misfit", seat, {"card": card.id}))
                if self.strict:
                    self.over("misfit")
        return self.log

    def see_whether_silver_plays(self) -> None:
        mine, yours = self.wishes[0], self.wishes[1]
        if not mine or not yours:
            return
        if mine[-1] == yours[-1]:
            chosen = mine[-1]
        elif len(mine) == 3 and len(yours) == 3:
            chosen = yours[-1] if self.turned else mine[-1]
        else:
            return
        card = self.find("silver", chosen)
        assert card is not None
        self.lay("silver", card)

    def lay(self, place: Any, card: Card) -> None:
        who = None if place == "silver" else place
        turns = card.face[0] == "w" or card.face[1] == "0"
        self.cards[place].remove(card)
        self.log.append(("played", who, {"card": card.id, "face": card.face, "reversed": turns}))
        pile_was_empty = not self.stock
        if self.stock:
            if place == "silver":
                new = self.draw("up")
                self.log.append(("drew", None, {"card": new.id, "face": new.face}))
            else:
                new = self.draw("team" if card.facing == "holder" else "holder")
                self.log.append(("drew", place, {"card": new.id, "facing": new.facing}))
            self.cards[place].append(new)
        if not self.stock and (place == "silver" or not pile_was_empty):
            self.turn_one_up()
        self.pile.append(card)
        if turns:
            self.turned = not self.turned
        for cards in self.cards.values():
            for other in cards:
                other.tried = False
        self.tips = [tip for tip in self.tips if card.id not in (tip["about"], tip["mine"])]
        self.tips_left = dict.fromkeys(self.seats, self.tips_per_turn)
        self.wishes = {0: [], 1: []}
        if self.left_over() == 0:
            self.over("all_played")
            return
        self.place = self.neighbour(place)
        while not self.cards[self.place]:
            self.place = self.neighbour(self.place)
        self.look_whether_stuck()

    def neighbour(self, place: Any) -> Any:
        round_table = self.order[::-1] if self.turned else self.order
        return (round_table + round_table)[round_table.index(place) + 1]

    def turn_one_up(self) -> None:
        down = [card for card in self.cards.get("silver", []) if card.facing == "down"]
        if down:
            card = down[0]
            card.facing = "up"
            self.cards["silver"].remove(card)
            self.cards["silver"].append(card)
            self.log.append(("turned_up", None, {"card": card.id, "face": card.face}))

    def look_whether_stuck(self) -> None:
        if self.place == "silver" and not self.silver_up():
            self.turn_one_up()
        playable = [card for card in self.cards[self.place] if card.facing != "down" and self.fits(card)]
        if not playable:
            self.over("stuck")

    def over(self, why: str) -> None:
        self.end = why
        self.log.append(("match_finished", None, {"outcome": self.outcome()}))

    # What is told

    def outcome(self) -> dict[str, Any] | None:
        if self.end is None:
            return None
        left = self.left_over()
        names = {0: "perfect", 1: "super", 2: "super", 3: "good", 4: "good", 5: "good"}
        rating = names.get(left, "fair" if left < 11 else "wipeout")
        return {
            "termination": self.end,
            "remaining": left,
            "rating": rating,
            "returns": [-left for _ in self.seats],
        }

    def view(self, viewer: int | None) -> dict[str, Any]:
        silver = None
        if "silver" in self.cards:
            down = [card for card in self.cards["silver"] if card.facing == "down"]
            silver = {
                "face_up": [{"card": card.id, "face": card.face} for card in self.silver_up()],
                "face_down": len(down),
                "face_down_faces": [card.face for card in down] if self.end else None,
                "proposals": {str(seat): self.wishes[seat][-1] if self.wishes[seat] else None for seat in self.seats},
            }
        tried = [card for cards in self.cards.values() for card in cards if card.tried]
        return {
            "viewer": viewer,
            "top": {"card": self.top.id, "face": self.top.face},
            "discard": [card.face for card in self.pile],
            "draw_pile": len(self.stock),
            "direction": "counterclockwise" if self.turned else "clockwise",
            "turn": None if self.end else {"silver": True} if self.place == "silver" else {"seat": self.place},
            "hands": [
                {"seat": seat, "cards": [self.shown(card, seat, viewer) for card in self.cards[seat]]}
                for seat in self.seats
            ],
            "silver": silver,
            "misfits": sorted(card.id for card in tried),
            "tips": self.tips,
            "remaining": self.left_over(),
        }

    def shown(self, card: Card, holder: int, viewer: int | None) -> dict[str, Any]:
        if self.end:
            seen = True
        elif viewer is None:
            seen = False
        elif viewer == holder:
            seen = card.facing == "holder"
        else:
            seen = card.facing == "team"
        return {"card": card.id, "facing": card.facing, "face": card.face if seen else None}
