"""Everything that happens when nobody calls: deadlines, bots' turns, webhooks, expiry. Runs beside the web servers.

Any number of workers may run: what is due is taken under a lease, and every step is a compare-and-set. `loop` takes
work and sleeps, `wake` hears that something is due at once, `main` starts and stops it all.
"""
