"""The main job on this machine: a chat becomes a playbook, runs on schedule, makes the file, pushes."""
