"""What players can do: set up, sit down, play, look, and look back. Knows no HTTP and no Redis.

`records` is what is kept of a match; `lobby` everything before the first move and around it; `play` the moves;
`look` the views; `feed` the events; `replay` the past; `errors` every refusal with its stable code; `edge` is where
time, ids and secrets come from.
"""
