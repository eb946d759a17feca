"""One use case a module."""
