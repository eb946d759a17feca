"""Full implementations in memory, for tests and simulation."""
