"""Pure rules over frozen values: no clock, no environment, no I/O, no logger. Time comes in as an argument."""
