"""A second, plain account of the rules of UFO Wave. It shares no code with the engine: it knows only JSON.

`Bystander` sits at the table and hears nothing but the public events. From them alone it keeps the whole public
position, says what must come along with every card that is taken, which moves a seat with a given hand may make (by
trying everything there could be), and at the end the score. The house set is written out here once more.
"""

from collections import Counter
from itertools import permutations
from typing import Any

Json = dict[str, Any]

POWERS = (
    "missing_time", "protective_aura", "paralysis", "terrorize", "mind_control", "dimensional_shift", "tractor_beam",
    "cloak",
)  # fmt: skip
CRAFT = ("saucer", "triangle", "cigar", "orb", "shape_shifter")
SPECIES = {
    "greys": ("abduction", "mind_control"),
    "reptilians": ("sabotage", "terrorize"),
    "nordics": ("contact", "cloak"),
    "mantids": ("sampling", "tractor_beam"),
    "tall_whites": ("surveillance", "dimensional_shift"),
    "hybrids": ("crop_circle", "paralysis"),
}
ENERGY = {"surge": 3, "glow": 2, "static": -2, "hum": -1, "flux": 0, "drain": 0}


class Bystander:
    """The public position, as the events tell it. Cards are ids; `card[id]` is what was seen of it."""

    def __init__(self, mode: str, seats: int) -> None:
        self.mode, self.n = mode, seats
        self.card: dict[int, Json] = {}
        self.row: list[int | None] = []
        self.scan_deck = 54 if mode == "solo" else 56
        self.plan_deck = 30 if mode == "solo" else 56
        self.scan_discard: list[int] = []
        self.plan_discard: list[str] = []
        self.events_seen: list[str] = []
        self.species: list[str | None] = [None] * seats
        self.watching: list[list[int]] = [[] for _ in range(seats)]
        self.pile: list[list[int]] = [[] for _ in range(seats)]
        self.hand_size = [0] * seats
        self.known: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.paralysed: list[str | None] = [None] * seats
        self.asks = [True] * seats
        self.direction, self.active, self.phase = 1, 0, "species"
        self.locked_by: int | None = None
        self.master_plan = False
        self.aura: dict[int, tuple[int, str]] = {}
        self.window: Json | None = None
        self.takes: list[Json] = []
        self.claims: list[Any] = []
        self.cloak: set[str] = set()
        self.score: list[int] | None = None

    # What the events do

    def hear(self, event: Json) -> None:
        """Follow one event; asserts that it tells what the rules say must happen."""
        getattr(self, f"_{event['type']}", lambda *_: None)(event["seat"], event["data"])

    def _species_chosen(self, seat: int, data: Json) -> None:
        self.species[seat] = data["species"]

    def _row_dealt(self, _: None, data: Json) -> None:
        self._see(data["scan"])
        self.row = [card["id"] for card in data["scan"]]
        self.scan_deck -= 7
        self.hand_size = [5] * self.n
        self.plan_deck -= 5 * self.n

    def _phase(self, _: None, data: Json) -> None:
        self.active, self.phase = data["active"], data["phase"]
        if self.phase == "draw":
            if self.locked_by == self.active:
                self.locked_by = None
            mine = [card for card, (seat, _) in self.aura.items() if seat == self.active]
            self.claims = ["action", *(card for card in mine if self.aura[card][1] == "advanced")]
            for card in mine:
                del self.aura[card]
            self._to_plan_discard(["protective_aura"] * len(mine))
            self.takes, self.cloak = [], set()
        elif self.phase == "action" or (self.phase == "discard" and self.paralysed[self.active] == "advanced"):
            self.paralysed[self.active] = None

    def _drew(self, seat: int, data: Json) -> None:
        self.hand_size[seat] += data["count"]
        self.plan_deck -= data["count"]
        if self.plan_deck <= 0:
            # The discard pile became the deck in between; several cards may have been drawn across that.
            self.plan_deck += len(self.plan_discard)
            self.plan_discard = []
        if data["card"]:
            assert self.master_plan
            self.known[seat][data["card"]] += 1

    def _power_played(self, seat: int, data: Json) -> None:
        assert self.phase == "preparation"
        assert seat == self.active
        for key in (data["power"], data["craft"]):
            if key:
                self._leaves_hand(seat, key)
        self.window = {"answered": [], **data}
        if self.n == 1:
            self._allowed()

    def _answered(self, seat: int, _: Json) -> None:
        assert self.window is not None
        self.window["answered"].append(seat)

    def _window_closed(self, _: None, data: Json) -> None:
        assert self.window is not None
        assert sorted(self.window["answered"]) == [seat for seat in range(self.n) if seat != self.active]
        if data["countered_by"] is None:
            self._allowed()
            return
        assert data["level"] == "advanced" or self.window["level"] == "basic"
        spent = ["missing_time"] + ([data["craft"]] if data["craft"] else [])
        for key in spent:
            self._leaves_hand(data["countered_by"], key)
        played = [self.window["power"]] + ([self.window["craft"]] if self.window["craft"] else [])
        self.window = None
        self._to_plan_discard(played + spent)

    def _allowed(self) -> None:
        assert self.window is not None
        power, level, craft = self.window["power"], self.window["level"], self.window["craft"]
        target = self.window["target"] or {}
        self.window = None
        cards = [] if power == "protective_aura" else [power]
        self._to_plan_discard(cards + ([craft] if craft else []))
        if power == "protective_aura":
            self.aura[target["activity"]] = (self.active, level)
        elif power == "paralysis":
            if self.paralysed[target["seat"]] != "advanced":
                self.paralysed[target["seat"]] = level
        elif power == "tractor_beam":
            self.claims.append("up to 2" if level == "basic" else "any")
        elif power == "cloak":
            self.cloak.add(level)

    def _human_dismissed(self, seat: int, data: Json) -> None:
        for key in data["craft"]:
            self._leaves_hand(seat, key)
        self.watching[seat].remove(data["human"])
        self.scan_discard.append(data["human"])
        self._to_plan_discard(data["craft"])

    def _performed(self, seat: int, data: Json) -> None:
        assert (data["humans"], data["energy"]) == self.comes_along(data["card"])
        if not any(take["type"] == "perform" for take in self.takes):
            self.cloak.discard("basic")
        self.takes.append({"type": "perform", "card": data["card"]})
        self._collect(seat, [data["card"], *data["energy"]])
        for human in data["humans"]:
            self._watch(seat, human)

    def _led(self, seat: int, data: Json) -> None:
        assert data["energy"] == self.energy_beside(data["human"])
        if self.phase == "action":
            self.takes.append({"type": "lead"})
        self._collect(seat, data["energy"])
        self._watch(data["to_seat"], data["human"])

    def _moved_human(self, seat: int | None, data: Json) -> None:
        human = data["human"]
        if data["from_seat"] is None:
            most = max(self.activities(other) for other in range(self.n))
            first = next(other for other in self.order() if self.activities(other) == most)
            leftmost = next(card for card in self.row if card and self.card[card]["kind"] == "human")
            assert (seat, human, data["to_seat"]) == (None, leftmost, first)
        else:
            self.watching[data["from_seat"]].remove(human)
        if data["to_seat"] is None:
            self.scan_discard.append(human)
        else:
            self._watch(data["to_seat"], human)

    def _scan_changed(self, seat: int | None, data: Json) -> None:
        """A Power puts the row otherwise; else it closes up, is turned round, or loses Energy."""
        row = [card and card["id"] for card in data["scan"]]
        for place, card in enumerate(self.row):
            if seat is not None and card in self.aura and self.aura[card][0] != seat:
                assert row[place] == card
        lost = [card for card in self.row if card and card not in row]
        assert all(self.card[card]["kind"] == "energy" for card in lost)
        self.scan_discard += lost
        self.row = row

    def _turned_up(self, _: None, data: Json) -> None:
        self._see([data["card"]])
        card = data["card"]["id"]
        assert card == len(self.card)
        self.scan_deck -= 1
        if data["card"]["kind"] == "event":
            self.scan_discard.append(card)
            self.events_seen.append(data["card"]["key"])
        else:
            self.row[self.row.index(None)] = card

    def _event(self, _: None, data: Json) -> None:
        if data["key"] == "lockdown":
            self.locked_by = self.active
        elif data["key"] == "time_warp":
            self.direction = -self.direction
        elif data["key"] == "invasion_master_plan":
            self.master_plan = True

    def _discarded(self, seat: int, data: Json) -> None:
        self._leaves_hand(seat, data["card"])
        self._to_plan_discard([data["card"]])

    def _human_discarded(self, seat: int, data: Json) -> None:
        self.watching[seat].remove(data["human"])
        self.scan_discard.append(data["human"])

    def _reactions_set(self, seat: int, data: Json) -> None:
        assert self.asks[seat] != data["ask"]
        self.asks[seat] = data["ask"]

    def _match_finished(self, _: None, data: Json) -> None:
        self.phase = "over"
        self.score = data["outcome"]["points"]

    def _see(self, cards: list[Json]) -> None:
        for card in cards:
            self.card[card["id"]] = card

    def _leaves_row(self, card: int) -> None:
        self.row[self.row.index(card)] = None
        if self.aura.pop(card, None):
            self._to_plan_discard(["protective_aura"])

    def _collect(self, seat: int, cards: list[int]) -> None:
        for card in cards:
            self._leaves_row(card)
            self.pile[seat].append(card)

    def _watch(self, seat: int, human: int) -> None:
        if human in self.row:
            self._leaves_row(human)
        self.watching[seat].append(human)

    def _leaves_hand(self, seat: int, key: str) -> None:
        self.hand_size[seat] -= 1
        self.known[seat][key] = max(0, self.known[seat][key] - 1)

    def _to_plan_discard(self, keys: list[str]) -> None:
        self.plan_discard += keys
        if self.plan_deck == 0 and self.plan_discard:
            self.plan_deck, self.plan_discard = len(self.plan_discard), []

    # What the rules say

    def order(self) -> list[int]:
        return [(self.active + self.direction * i) % self.n for i in range(self.n)]

    def activities(self, seat: int) -> int:
        return sum(self.card[card]["kind"] == "activity" for card in self.pile[seat])

    def beside(self, card: int) -> list[int]:
        place = self.row.index(card)
        around = [self.row[i] for i in (place - 1, place + 1) if 0 <= i < len(self.row)]
        return [other for other in around if other]

    def energy_beside(self, card: int) -> list[int]:
        if "advanced" in self.cloak:
            return []
        return [other for other in self.beside(card) if self.card[other]["kind"] == "energy"]

    def comes_along(self, activity: int) -> tuple[list[int], list[int]]:
        """The Humans and the Energy that come with a performed Activity."""
        humans = [other for other in self.beside(activity) if self.card[other]["kind"] == "human"]
        return [] if self.cloak else humans, self.energy_beside(activity)

    def hand_limit(self, seat: int) -> int:
        return max(2, 6 - sum(self.card[human]["key"] == "reporter" for human in self.watching[seat]))

    def points(self, seat: int, species: str | None, hand: list[str]) -> int:
        total = 0
        for card in self.pile[seat]:
            total += (
                self.card[card]["points"] if self.card[card]["kind"] == "activity" else ENERGY[self.card[card]["key"]]
            )
            total += 2 if species and self.card[card]["key"] == SPECIES[species][0] else 0
        humans = [[self.card[human]["key"] for human in self.watching[other]] for other in range(self.n)]
        total += 2 * humans[seat].count("contactee") - 4 * humans[seat].count("men_in_black")
        military = [keys.count("military") for keys in humans]
        if military[seat] and military[seat] == max(military):
            total -= 6
        return total + (sum(key in CRAFT for key in hand) if self.mode == "solo" else 0)

    def may_take(self, take: Json) -> bool:
        """Whether this take, with all taken in this turn, can be matched one to one to the claims: by trying all."""
        takes = [*self.takes, take]
        return any(
            all(self._fits(one, claim) for one, claim in zip(takes, chosen, strict=True))
            for chosen in permutations(self.claims, len(takes))
        )

    def _fits(self, take: Json, claim: Any) -> bool:
        if claim == "action":
            return True
        if take["type"] == "lead":
            return False
        if claim == "up to 2":
            return bool(self.card[take["card"]]["points"] <= 2)
        return claim in ("any", take["card"])

    # What a seat may do

    def moves(self, seat: int, hand: list[str], pending: Json | None) -> list[Json]:
        """Every legal move of a seat that is to move and holds this hand."""
        if self.window:
            return [{"type": "allow"}, *self._counters(seat, hand)]
        if pending:
            return self._forced(seat, hand, pending)
        if self.phase == "species":
            return [{"type": "choose_species", "species": key} for key in SPECIES if key not in self.species]
        if self.phase == "preparation":
            return [*self._plays(seat, hand), *self._dismissals(seat, hand), {"type": "end_preparation"}]
        return self._takes(seat)

    def _crafts(self, seat: int, hand: list[str], power: str) -> list[str | None]:
        species = self.species[seat] if self.mode == "standard" else None
        own = [None] if species and SPECIES[species][1] == power else []
        return own + [key for key in CRAFT if key in hand]

    def _counters(self, seat: int, hand: list[str]) -> list[Json]:
        assert self.window is not None
        if "missing_time" not in hand:
            return []
        crafts = self._crafts(seat, hand, "missing_time")
        advanced = [{"type": "counter", "level": "advanced", "craft": key} for key in crafts]
        basic = [{"type": "counter", "level": "basic", "craft": None}] if self.window["level"] == "basic" else []
        return basic + advanced

    def _forced(self, seat: int, hand: list[str], pending: Json) -> list[Json]:
        if pending["kind"] == "draw":
            return [{"type": "draw", "from": end} for end in (["top", "bottom"] if self.plan_deck > 1 else ["top"])]
        if pending["kind"] == "discard":
            return [{"type": "discard", "card": key} for key in set(hand)]
        if pending["kind"] == "discard_human":
            return [{"type": "discard_human", "human": human} for human in self.watching[seat]]
        free = [card for card in self.row if card and self.aura.get(card, (seat,))[0] == seat]
        return [{"type": "order_scan", "card": card} for card in free[len(free) - 1 - pending["count"] :]]

    def _plays(self, seat: int, hand: list[str]) -> list[Json]:
        plays = []
        for power in POWERS[1:]:
            if power in hand:
                basic = [("basic", None, aim) for aim in self._aims(seat, power, "basic")]
                crafts = self._crafts(seat, hand, power)
                advanced = [("advanced", key, aim) for key in crafts for aim in self._aims(seat, power, "advanced")]
                for level, craft, aim in basic + advanced:
                    plays.append({"type": "play_power", "power": power, "level": level, "craft": craft, "target": aim})
        return plays

    def _aims(self, seat: int, power: str, level: str) -> list[Json | None]:
        """Every target the Power has, found by going through every card and seat there is."""
        free = [card for card in self.row if card and self.aura.get(card, (seat,))[0] == seat]
        seats = range(self.n)
        if power == "protective_aura":
            cards = [card for card in self.row if card and card not in self.aura]
            return [_aim(activity=card) for card in cards if self.card[card]["kind"] == "activity"]
        if power in ("paralysis", "terrorize"):
            return [_aim(seat=other) for other in seats if other != seat]
        if power == "mind_control" and level == "basic":
            humans = [card for card in self.row if card and self.card[card]["kind"] == "human"]
            return [_aim(human=human, to_seat=other) for human in humans for other in seats]
        if power == "mind_control":
            if self.n == 1:
                return [_aim(human=human) for human in self.watching[0]]
            pairs = [(holder, other) for holder in seats for other in seats if holder != other]
            return [_aim(human=human, to_seat=other) for holder, other in pairs for human in self.watching[holder]]
        if power == "dimensional_shift" and level == "basic":
            return [_aim(first=a, second=b) for i, a in enumerate(free) for j, b in enumerate(free) if i < j]
        if power == "dimensional_shift":
            return [None] if len(free) > 1 else []
        return [None]

    def _dismissals(self, seat: int, hand: list[str]) -> list[Json]:
        pairs = set()
        for i, one in enumerate(hand):
            for j, other in enumerate(hand):
                if i != j and one in CRAFT and other in CRAFT and (one == other or "shape_shifter" in (one, other)):
                    pairs.add(tuple(sorted((one, other), key=CRAFT.index)))
        return [
            {"type": "dismiss_human", "human": human, "craft": list(pair)}
            for human in self.watching[seat]
            for pair in pairs
        ]

    def _takes(self, seat: int) -> list[Json]:
        moves: list[Json] = []
        for card in self.row:
            kind = self.card[card]["kind"] if card else None
            protected = card in self.aura and self.aura[card][0] != seat if card else False
            if kind == "activity" and not protected and self.may_take({"type": "perform", "card": card}):
                moves.append({"type": "perform", "activity": card})
            if kind == "human" and self.may_take({"type": "lead"}):
                moves += [{"type": "lead", "human": card, "to_seat": other} for other in range(self.n)]
        return moves + ([{"type": "end_action"}] if self.takes else [])

    def _shown(self, card: int) -> Json:
        return {**self.card[card], "protected_by": self.aura.get(card, (None,))[0]}

    def public(self) -> Json:
        """What a spectator's view must show of all this."""
        return {
            "phase": self.phase,
            "active": self.active,
            "direction": "clockwise" if self.direction == 1 else "counterclockwise",
            "scan": [
                card and {**self.card[card], "protected_by": self.aura.get(card, (None,))[0]} for card in self.row
            ],
            "scan_deck": self.scan_deck,
            "scan_discard": [self.card[card] for card in self.scan_discard],
            "plan_deck": self.plan_deck,
            "plan_discard": self.plan_discard,
            "events_seen": self.events_seen,
            "lockdown": self.locked_by is not None,
            "seats": [
                {
                    "seat": seat,
                    "species": self.species[seat],
                    "watching": [self.card[human] for human in self.watching[seat]],
                    "hand_size": self.hand_size[seat],
                    "hand_limit": self.hand_limit(seat),
                    "activities": self.activities(seat),
                    "score_pile": len(self.pile[seat]),
                    "paralysed": self.paralysed[seat],
                    "asks": self.asks[seat],
                    "known": sorted(self.known[seat].elements()),
                }
                for seat in range(self.n)
            ],
        }


def _aim(**fields: int) -> Json:
    empty = dict.fromkeys(("activity", "human", "seat", "to_seat", "first", "second"))
    return {**empty, **fields}
