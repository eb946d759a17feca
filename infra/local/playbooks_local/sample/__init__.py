"""A sample company to try Playbooks on: a shop's database, a chat about it, and who may read it."""
