"""Which combinations of a fixed list a hand holds: answered for the whole list at once, in the list's order.

The list of all formations (and of all pairs to set aside) is short and never changes. So a hand's legal moves are
a *selection* of it: an integer whose bit i stands for entry i. Selections are intersected with `&`, and reading
the bits upwards gives the canonical order for nothing. No subset of a hand is ever tried.
"""

from collections.abc import Sequence

from engines.onda.cards import CHUNK_BITS, CHUNKS, Pile, chunk_values, holds

Selection = int
"""Bit i: entry i of the list is chosen."""


class Combinations:
    """A fixed list of combinations of cards, each given as the pile that it needs."""

    def __init__(self, needs: Sequence[Pile]) -> None:
        self._by_chunk = tuple(_table(needs, CHUNK_BITS * chunk) for chunk in range(CHUNKS))
        entries = range(len(needs))
        self._entries_of_byte = tuple(
            tuple(tuple(i for i in entries[at : at + 8] if byte >> i - at & 1) for byte in range(256))
            for at in range(0, len(needs), 8)
        )

    def held_in(self, hand: Pile) -> Selection:
        """The entries that this hand can make. A chunk's table rules out what this chunk of the hand lacks."""
        chunk = self._by_chunk
        return (
            chunk[0][hand & 4095]
            & chunk[1][hand >> 12 & 4095]
            & chunk[2][hand >> 24 & 4095]
            & chunk[3][hand >> 36 & 4095]
            & chunk[4][hand >> 48]
        )

    def entries(self, selection: Selection) -> list[int]:
        """The places of the chosen entries, ascending."""
        # The highest chosen entry ends the bytes: the longer rest of the table is cut off by zip.
        chosen = selection.to_bytes((selection.bit_length() + 7) // 8, "little")
        return [i for entries, byte in zip(self._entries_of_byte, chosen, strict=False) if byte for i in entries[byte]]


def _table(needs: Sequence[Pile], shift: int) -> dict[Pile, Selection]:
    """For every value that one chunk of a hand can take: the entries that ask no more of this chunk."""
    asked = [need >> shift & (1 << CHUNK_BITS) - 1 for need in needs]
    places: dict[Pile, Selection] = {}
    for i, part in enumerate(asked):
        places[part] = places.get(part, 0) | 1 << i
    return {
        value: sum(selection for part, selection in places.items() if holds(value, part)) for value in chunk_values()
    }
