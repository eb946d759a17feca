"""One composition root a function: the only place that picks adapters."""
