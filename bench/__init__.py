"""What Shorebreak can carry. `python -m bench` measures and writes RESULTS.md; README.md says what each figure means.

`load` is the load generator, `hello` the bare site to compare with, `shore` the running Shorebreak, `matches` real
matches to play on it, `http` the figures over HTTP; `playouts`, `peers`, `lists`, `sizes` and `steps` those without;
`results` writes them down.
"""
