"""Where matches are kept. Opaque bytes in, opaque bytes out: this room knows no game and no player.

`port` is what the table may ask for; `redis` answers it; `link` speaks to the server; `scripts/` are the writes.
"""
