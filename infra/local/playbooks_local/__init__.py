"""The local stack: emulated AWS, a real PostgreSQL, a stand-in model and the `playbooks` command."""
