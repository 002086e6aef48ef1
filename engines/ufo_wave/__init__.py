"""UFO Wave: command a Species, perform Activities under the eyes of Humans, and come home with most ET points.

The game
    A tactical card game. Seven Scan cards lie open in a row. In each turn a seat draws a Plan card, plays Powers and
    Craft, and takes an Activity of the row (Humans and Energy beside it come along) or leads a Human to somebody. When
    the Scan deck is empty and the row holds no more Activities and Humans, points are counted. The rulebook leaves the
    cards open: they are a card set, data in one TOML form (docs/card-sets.md); the house set ships, a stand-in. All
    rules with their sources: RULES.md.

Seats
    2 to 6; 1 in solo.

Options
    `mode` (`standard`): `covert` hides the Species, `equal` has none, `solo` is for one seat and wins medals.
    `card_set` (`house`). `first_seat` (0). `cards` is the server's: the whole set, where it is not the house set.

Moves
    `choose_species` · `draw` (under Invasion Master Plan) · `play_power`, `order_scan`, `dismiss_human`,
    `end_preparation` · `perform`, `lead`, `end_action` · `discard`, `discard_human` · `allow`, `counter`. Listed in
    this order; then hands in catalogue order, the row from left to right, seats ascending. Equivalent, and accepted:
    the two Craft of a pair and the two cards of a swap in the other order, a target with nothing in it for null.

Anytime moves
    `set_reactions`: a seat that does not ask allows every Power at once. At most two changes by a seat in one turn.

Events
    `species_chosen`, `row_dealt`, `phase`, `drew`, `power_played`, `answered`, `window_closed`, `human_dismissed`,
    `performed`, `led`, `moved_human`, `scan_changed`, `turned_up`, `event`, `discarded`, `human_discarded`,
    `reactions_set`, `match_finished`. `seat` is None for what the cards do by themselves.

Outcome
    `termination` (`scan_empty`), `points` and `returns` (the same), `winners` (ties share), `medal` (solo).

Bots
    `random` plays anything. `pilot` rates what a turn is worth with each Power that it could play, less what the cards
    cost, takes what is worth most with all that comes along, leads Humans to those whom they cost most, and counters
    what harms it; in solo it hoards Craft for medals. It knows the house set's Powers by their keys, and of other sets'
    the points alone. bench/STRENGTH.md says how strong it is.

Longest match
    length.py proves a bound for every card set. It is huge, for Believers and Mind Control can feed each other for a
    while; random matches take 60 to 400 moves.

More card sets
    `GAME.extend({file name: text})` gives the record with further sets to choose from, or a `CardSetError` that names
    the file, the card and the reason. `settle` completes the options of a match so that it keeps its set for ever.

Version history
    1: first version, with the house set of that name.
"""

from engines.ufo_wave.game import make_game

GAME = make_game()
"""UFO Wave with the house set."""

__all__ = ["GAME"]
