"""The house set: a stand-in for the published cards, which no public source lists.

It is written in the form that every card set has (docs/card-sets.md) and read by the same `parse`. It stands here as
text, not as a file beside the code, so that the engines need no I/O, not even at import. A change of it is a change
of `rules_version`: matches of the house set keep only a reference to it.
"""

from engines.ufo_wave.card_set import UfoWaveCardSet, parse

HOUSE_TEXT = """
key = "house"
name = "House set"
stand_in = true
medals = { bronze = 75, silver = 80, gold = 85 }

[[activity]]
key = "crop_circle"
name = "Crop Circle"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[activity]]
key = "abduction"
name = "Abduction"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[activity]]
key = "sampling"
name = "Sampling"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[activity]]
key = "surveillance"
name = "Surveillance"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[activity]]
key = "contact"
name = "Contact"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[activity]]
key = "sabotage"
name = "Sabotage"
points = [1, 2, 2, 3, 4]
text = "Worth its points."

[[human]]
key = "military"
name = "Military"
count = 4
end = { effect = "most", points = -6 }
text = "At the end, whoever has the most of these loses 6 points; all who share the most do."

[[human]]
key = "men_in_black"
name = "Men In Black"
count = 4
end = { effect = "points", points = -4 }
text = "At the end, each costs 4 points."

[[human]]
key = "police"
name = "Police"
count = 2
at_once = { effect = "discard", count = 1 }
text = "At once: discard a Plan card of your choice."

[[human]]
key = "reporter"
name = "Reporter"
count = 2
watching = { effect = "hand_limit", change = -1 }
text = "While watching: your hand limit is one less, though never below two."

[[human]]
key = "believer"
name = "Believer"
count = 2
at_once = { effect = "draw", count = 2 }
text = "At once: draw two Plan cards."

[[human]]
key = "contactee"
name = "Contactee"
count = 2
end = { effect = "points", points = 2 }
text = "At the end, each is worth 2 points."

[[energy]]
key = "surge"
name = "Surge"
points = 3
text = "Worth 3 points."

[[energy]]
key = "glow"
name = "Glow"
points = 2
count = 2
text = "Worth 2 points."

[[energy]]
key = "static"
name = "Static"
points = -2
count = 2
text = "Costs 2 points."

[[energy]]
key = "hum"
name = "Hum"
points = -1
text = "Costs 1 point."

[[energy]]
key = "flux"
name = "Flux"
points = 0
at_once = { effect = "draw", count = 1 }
text = "At once: draw a Plan card."

[[energy]]
key = "drain"
name = "Drain"
points = 0
at_once = { effect = "discard", count = 1 }
text = "At once: discard a Plan card of your choice."

[[event]]
key = "meteor_shower"
name = "Meteor Shower"
event = { effect = "each_draws", count = 1 }
text = "Each seat draws a Plan card."

[[event]]
key = "radar_sweep"
name = "Radar Sweep"
event = { effect = "each_discards", count = 1 }
text = "Each seat discards a Plan card of its choice."

[[event]]
key = "cover_up"
name = "Cover-Up"
event = { effect = "each_discards_human" }
text = "Each seat discards one Human watching it, of its choice."

[[event]]
key = "media_frenzy"
name = "Media Frenzy"
event = { effect = "human_to_most_activities" }
text = "The leftmost Human of the row comes in front of the seat that has claimed most Activities."

[[event]]
key = "solar_flare"
name = "Solar Flare"
event = { effect = "discard_energy" }
text = "All Energy in the row is discarded."

[[event]]
key = "gravity_well"
name = "Gravity Well"
event = { effect = "turn_row" }
text = "The row is turned round."

[[event]]
key = "time_warp"
name = "Time Warp"
event = { effect = "turn_direction" }
text = "The direction of play is turned."

[[event]]
key = "supply_drop"
name = "Supply Drop"
event = { effect = "fewest_activities_draw", count = 2 }
text = "Those who have claimed the fewest Activities draw two Plan cards."

[[event]]
key = "lockdown"
name = "Lockdown"
event = { effect = "lockdown" }
text = "Nobody plays Plan cards in Preparation until the active seat's next turn begins."

[[event]]
key = "invasion_master_plan"
name = "Invasion Master Plan"
event = { effect = "open_plan" }
text = "For the rest of the game the top Plan card lies face up; who draws takes it or the unseen bottom one."

[[power]]
key = "missing_time"
name = "Missing Time"
count = 4
solo = 0
basic = { effect = "counter_basic" }
advanced = { effect = "counter_any" }
text = "A reaction. Basic: counters a Power played at Basic. Advanced: counters a Power played at either level."

[[power]]
key = "protective_aura"
name = "Protective Aura"
count = 4
solo = 0
basic = { effect = "protect" }
advanced = { effect = "protect_and_claim" }
text = \"\"\"\
Basic: no opponent can perform, move or discard an Activity of your choice until your next turn. \
Advanced: in your next turn you may also claim that Activity besides your action.\"\"\"

[[power]]
key = "paralysis"
name = "Paralysis"
count = 4
solo = 0
basic = { effect = "no_plan_cards" }
advanced = { effect = "skip_turn" }
text = \"\"\"\
Basic: an opponent plays no Plan cards in its next Preparation. \
Advanced: it skips its next Preparation and Action.\"\"\"

[[power]]
key = "terrorize"
name = "Terrorize"
count = 4
solo = 0
basic = { effect = "discard_choice", count = 1 }
advanced = { effect = "discard_random", count = 2 }
text = "Basic: an opponent discards a Plan card of its choice. Advanced: two at random."

[[power]]
key = "mind_control"
name = "Mind Control"
count = 4
solo = 4
basic = { effect = "lead_human" }
advanced = { effect = "move_human" }
text = \"\"\"\
Basic: lead a Human of the row to any seat at once, besides your action. \
Advanced: move a Human from in front of any seat to a different one (solo: to the discard pile).\"\"\"

[[power]]
key = "dimensional_shift"
name = "Dimensional Shift"
count = 4
solo = 4
basic = { effect = "swap_scan" }
advanced = { effect = "arrange_scan" }
text = \"\"\"\
Basic: swap two cards of the row. Advanced: put the row in any order. \
Cards under another seat's Aura keep their place.\"\"\"

[[power]]
key = "tractor_beam"
name = "Tractor Beam"
count = 4
solo = 4
basic = { effect = "extra_perform", at_most = 2 }
advanced = { effect = "extra_perform" }
text = "Basic: in this turn perform one more Activity worth at most 2. Advanced: worth anything."

[[power]]
key = "cloak"
name = "Cloak"
count = 4
solo = 4
basic = { effect = "cloak_first" }
advanced = { effect = "cloak_all" }
text = \"\"\"\
Basic: Humans beside this turn's first Activity stay; Energy comes. \
Advanced: in this turn neither Humans nor Energy come along.\"\"\"

[[craft]]
key = "saucer"
name = "Saucer"
count = 5
text = "Play it with a Power for the Advanced level, or a pair to discard a Human watching you."

[[craft]]
key = "triangle"
name = "Triangle"
count = 5
text = "Play it with a Power for the Advanced level, or a pair to discard a Human watching you."

[[craft]]
key = "cigar"
name = "Cigar"
count = 5
text = "Play it with a Power for the Advanced level, or a pair to discard a Human watching you."

[[craft]]
key = "orb"
name = "Orb"
count = 5
text = "Play it with a Power for the Advanced level, or a pair to discard a Human watching you."

[[craft]]
key = "shape_shifter"
name = "Shape Shifter"
count = 4
any = true
text = "A Craft that pairs with every Craft."

[[species]]
key = "greys"
name = "Greys"
favoured = "abduction"
automatic = "mind_control"
text = "Favours Abduction; Mind Control needs no Craft."

[[species]]
key = "reptilians"
name = "Reptilians"
favoured = "sabotage"
automatic = "terrorize"
text = "Favours Sabotage; Terrorize needs no Craft."

[[species]]
key = "nordics"
name = "Nordics"
favoured = "contact"
automatic = "cloak"
text = "Favours Contact; Cloak needs no Craft."

[[species]]
key = "mantids"
name = "Mantids"
favoured = "sampling"
automatic = "tractor_beam"
text = "Favours Sampling; Tractor Beam needs no Craft."

[[species]]
key = "tall_whites"
name = "Tall Whites"
favoured = "surveillance"
automatic = "dimensional_shift"
text = "Favours Surveillance; Dimensional Shift needs no Craft."

[[species]]
key = "hybrids"
name = "Hybrids"
favoured = "crop_circle"
automatic = "paralysis"
text = "Favours Crop Circle; Paralysis needs no Craft."
"""

HOUSE_SET: UfoWaveCardSet = parse(HOUSE_TEXT, "house set")
