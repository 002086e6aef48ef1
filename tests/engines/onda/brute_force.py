"""A second, plain account of which moves Onda allows: slow, and written from the printed rules, not from the engine.

It shares nothing with engines/onda. It reads what a seat is shown (the view, as JSON), tries every handful of its
cards with every wild standing for every card, keeps what the rules allow, and sorts. Nothing is clever here.
"""

from itertools import combinations

SUITS = "gb"
ALL_CODES = [suit + str(number) for suit in SUITS for number in range(1, 16)]
BOMBS = {
    "A": ("sequence", 2),
    "B": ("set", 2),
    "C": ("sequence", 3),
    "D": ("set", 3),
    "E": ("sequence", 4),
    "F": ("set", 4),
}
TYPES = ["set_aside", "keep_bomb", "skip_bomb", "follow", "turn_tide", "bomb", "pass"]


def number(code):
    return int(code[1:])


def suit(code):
    return code[0]


def sort_hand(codes):
    """By number, green before blue."""
    return sorted(codes, key=lambda code: (number(code), SUITS.index(suit(code))))


def formation(codes):
    """(kind, size, lowest number) of these cards, or None if they are no formation."""
    size = len(codes)
    numbers = sorted(number(code) for code in codes)
    if size == 1:
        return "single", 1, numbers[0]
    if not 2 <= size <= 4:
        return None
    if numbers[0] == numbers[-1]:
        return "set", size, numbers[0]
    one_suit = len({suit(code) for code in codes}) == 1
    if one_suit and numbers == list(range(numbers[0], numbers[0] + size)):
        return "sequence", size, numbers[0]
    return None


def handfuls(codes, most):
    """Every different handful of up to `most` cards; an empty one too."""
    seen = set()
    for size in range(most + 1):
        for chosen in combinations(sort_hand(codes), size):
            if chosen not in seen:
                seen.add(chosen)
                yield list(chosen)


def ways_to_lay(hand, face_down, may_use_wild=True):
    """Every (cards, wild or None, formation) that this hand can put on a table, strength not asked."""
    for cards in handfuls(hand, 4):
        made = formation(cards)
        if made:
            yield cards, None, made
    if not may_use_wild:
        return
    for wild_card in set(face_down):
        for cards in handfuls(hand, 3):
            for stands_for in ALL_CODES:
                made = formation([*cards, stands_for])
                if made is None:
                    continue
                # Where the suit makes no difference only green is listed.
                if made[0] != "sequence" and suit(stands_for) == "b":
                    continue
                yield cards, {"card": wild_card, "as": stands_for}, made


def beats(made, lying, tide):
    """Whether a formation may follow the one that lies on the table, if one does."""
    if lying is None:
        return True
    if (made[0], made[1]) != (lying["kind"], lying["size"]):
        return False
    return made[2] > lying["number"] if tide == "high" else made[2] < lying["number"]


def legal_moves(view):
    """All the legal moves, as JSON, of the viewer of this view (as JSON), who is to move; in the canonical order."""
    return sorted(_moves(view), key=canonical_order)


def _moves(view):
    hand, face_down, lying = view["hand"], view["face_down"], view["table"]
    if view["phase"] == "choose_bomb":
        yield {"type": "keep_bomb"}
        yield {"type": "skip_bomb"}
    if view["phase"] == "set_aside":
        for cards in handfuls(hand, 2):
            if len(cards) == 2:
                yield {"type": "set_aside", "cards": cards}
    if view["phase"] != "trick":
        return

    ways = list(ways_to_lay(hand, face_down))
    for cards, wild, made in ways:
        if beats(made, lying, view["tide"]):
            yield {"type": "follow", "cards": cards, "wild": wild}

    if view["status"] == "allowed":
        other_tide = "low" if view["tide"] == "high" else "high"
        for take in set(face_down):
            for cards, _, made in ways_to_lay([*hand, take], [], may_use_wild=False):
                if beats(made, lying, other_tide):
                    yield {"type": "turn_tide", "take": take, "cards": cards}

    if lying is not None and not view["bomb_played"]:
        shape = BOMBS[view["bomb"]]
        if (lying["kind"], lying["size"]) != shape:
            for cards, wild, made in ways:
                if (made[0], made[1]) == shape:
                    yield {"type": "bomb", "cards": cards, "wild": wild}

    if lying is not None:
        yield {"type": "pass"}


def catalogue(code):
    """Where a code stands: g1 … g15, b1 … b15."""
    return ALL_CODES.index(code)


def canonical_order(move):
    """The key by which legal moves are listed."""
    cards = move.get("cards", [])
    wild = move.get("wild")
    return (
        TYPES.index(move["type"]),
        catalogue(move["take"]) if "take" in move else -1,
        len(cards) + (1 if wild else 0),
        [catalogue(code) for code in cards],
        1 if wild else 0,
        catalogue(wild["as"]) if wild else -1,
        catalogue(wild["card"]) if wild else -1,
    )


def listed_form(move):
    """How this move (as JSON) would be listed if it were legal."""
    form = dict(move)
    if "cards" in form:
        form["cards"] = sort_hand(form["cards"])
    if form.get("wild"):
        made = formation([*form["cards"], form["wild"]["as"]])
        if made and made[0] != "sequence":
            form["wild"] = {"card": form["wild"]["card"], "as": f"g{made[2]}"}
    return form
