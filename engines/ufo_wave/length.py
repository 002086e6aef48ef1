"""How long a match can be at most, whatever is played: the proof, and the number. RULES.md tells it in words.

n seats; S Scan cards, Events included; P Plan cards; B Humans that let a seat draw; e Events used.

1. Removals. Every card leaves the row at most once, so there are at most S of them. A turn without one has its Action
   skipped by a Paralysis, or finds every Activity under other seats' Auras; in neither a Power can lay a new Aura
   (no Activity is free) or, if skipped, paralyse anybody. So after n such turns in a row no Aura lies any more, and
   after n further ones nobody is paralysed: at most 2n turns in a row go without a removal. The direction cannot turn
   in between, since only an Event turns it. So there are at most T = (S + 1)(2n + 1) turns.
2. Plays in one Preparation of a seat. Let a and b be the moves of a Human that lets draw (at most 2 cards, effects.py)
   to the seat and away from it, y all other plays. Each costs a card of the hand. The seat gets at most 2a, and g from
   cards that leave the row, so y <= P + a - b + g, and a <= b + B: y <= P + B + g. Each move away puts at least one
   card into another hand (the Power just played is there to be drawn), and each other play takes at most k from
   other hands (k = the most that a Power, a counter or a Human makes a seat lose, at least 2); Events take at most 5en
   in the whole match: b <= P + ky, and those. So there are at most a + b + y <= 2b + B + y plays. Over the whole match
   the sum of g is at most G = 2S + 5en.
3. Moves. A play is one move, n - 1 answers, 6 steps of setting the row, and what it makes seats draw and discard one
   at a time: at most 3 cards. Removals are a move each, with at most 6 such cards; Events ask each seat at most 5
   times; a turn has at most three moves more (draw, end_preparation, end_action), and its Discard Phase throws away
   cards, of which no more can go than came: 5n at the start, T drawn in turns, 3 a play, G.
"""

from engines.ufo_wave.card_set import HAND, ROW
from engines.ufo_wave.cards import Cards
from engines.ufo_wave.setup import EVENTS_USED

MOST_SEATS = 6
MOST_BY_EVENT = 5


def max_moves(cards: Cards) -> int:
    """No match of this set is longer, anytime moves not counted."""
    n, removed = MOST_SEATS, len(cards.scan_deck) + EVENTS_USED
    plan = len(cards.plan_deck)
    drawers = sum(1 for kind in cards.scan_deck if _lets_draw(cards, kind))
    loss = max(2, _taken_by_powers(cards), _taken_by_humans(cards))
    turns = (removed + 1) * (2 * n + 1)
    gains = 2 * removed + MOST_BY_EVENT * EVENTS_USED * n

    others = (plan + drawers) * turns + gains
    away = plan * turns + loss * others + MOST_BY_EVENT * EVENTS_USED * n
    played = 2 * away + drawers * turns + others
    asked = played * (1 + (n - 1) + (ROW - 1) + 3)
    thrown_away = HAND * n + turns + 3 * played + gains
    return n + asked + removed * 7 + EVENTS_USED * n * MOST_BY_EVENT + 3 * turns + thrown_away


def _lets_draw(cards: Cards, kind: int) -> bool:
    about = cards.scan[kind]
    return about.sort == "human" and about.at_once is not None and about.at_once.effect == "draw"


def _taken_by_powers(cards: Cards) -> int:
    return max((effect.count or 0 for kind in cards.plan if kind.levels for effect in kind.levels), default=0)


def _taken_by_humans(cards: Cards) -> int:
    return max((k.at_once.count or 0 for k in cards.scan if k.at_once and k.at_once.effect == "discard"), default=0)
