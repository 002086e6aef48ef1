"""A second, small card set: other names, other numbers, other effects elsewhere. Nothing may need the house set."""

SMALL_TEXT = """
key = "small"
name = "Small set"
stand_in = true
medals = { bronze = 5, silver = 10, gold = 15 }

[[activity]]
key = "parade"
name = "Parade"
points = [1, 3, 5]
text = "Fly low."

[[activity]]
key = "picnic"
name = "Picnic"
points = [0, 2, 6, 6]

[[human]]
key = "farmer"
name = "Farmer"
count = 3
end = { effect = "most", points = 4 }
watching = { effect = "hand_limit", change = 1 }

[[human]]
key = "sheriff"
name = "Sheriff"
count = 2
at_once = { effect = "discard", count = 2 }
end = { effect = "points", points = -1 }

[[human]]
key = "child"
name = "Child"
count = 1
at_once = { effect = "draw", count = 1 }
watching = { effect = "hand_limit", change = -3 }

[[energy]]
key = "spark"
name = "Spark"
points = 7
at_once = { effect = "discard", count = 1 }

[[event]]
key = "gift"
name = "Gift"
event = { effect = "each_draws", count = 2 }

[[event]]
key = "hush"
name = "Hush"
count = 2
event = { effect = "lockdown" }

[[event]]
key = "open_books"
name = "Open Books"
event = { effect = "open_plan" }

[[power]]
key = "veto"
name = "Veto"
count = 3
solo = 0
basic = { effect = "counter_any" }
advanced = { effect = "counter_any" }

[[power]]
key = "grab"
name = "Grab"
count = 3
solo = 3
basic = { effect = "extra_perform", at_most = 3 }
advanced = { effect = "move_human" }

[[power]]
key = "scare"
name = "Scare"
count = 3
solo = 0
basic = { effect = "discard_random", count = 1 }
advanced = { effect = "discard_choice", count = 3 }

[[power]]
key = "shield"
name = "Shield"
count = 2
solo = 1
basic = { effect = "protect_and_claim" }
advanced = { effect = "arrange_scan" }

[[craft]]
key = "kite"
name = "Kite"
count = 4

[[craft]]
key = "balloon"
name = "Balloon"
count = 3
any = true

[[species]]
key = "moon_people"
name = "Moon People"
favoured = "picnic"
automatic = "veto"

[[species]]
key = "sun_people"
name = "Sun People"
favoured = "parade"
automatic = "grab"
"""
