"""HTTP: the only room that knows Flask. It parses, asks the table, and answers; it decides nothing about a match.

`requests` reads what comes in, `answers` writes what goes out, `problems` turns refusals into the one error shape,
`wire` has the types of each game's bodies, `operations` documents them; then one file for each kind of resource.
"""
