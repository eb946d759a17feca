"""A chat with a database that went well once becomes a playbook that runs on schedule."""

__version__ = "0.1.0"
