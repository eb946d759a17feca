"""One vendor each, behind the ports."""
