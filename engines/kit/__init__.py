"""What every game is made of, and nothing that belongs to one game.

`game` is the record that a game fills in; `chance` the deal, to the byte; `errors` the ways a move or an
option can be refused; `moves` and `cards` the few shapes that all games share.
"""
