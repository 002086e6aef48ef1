"""Waiting clients: one subscription a process, fanned out to whoever waits here. Knows no HTTP and no game."""
