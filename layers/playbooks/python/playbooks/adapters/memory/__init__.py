"""Full implementations in memory, for tests and simulation.

There is none of `Databases`: it would have to be PostgreSQL. What a query step does is tested on a real server, which
starts in about a second; the simulation replaces whole steps.
"""
