"""Blocks of a prompt: material between tags, so that data cannot pass for instructions.

Text that comes from rows, documents or tools goes through `data_block`, which escapes whatever could close its block.
"""

import json


def block(name: str, text: str) -> str:
    """Our own words between tags."""
    return f"<{name}>\n{text}\n</{name}>"


def data_block(name: str, value: object) -> str:
    """Data as JSON between tags. `<` is written as `\\u003c`: no text in it can open or close a block."""
    text = json.dumps(value, ensure_ascii=False, default=str).replace("<", "\\u003c")
    return f'<{name} kind="data">\n{text}\n</{name}>'
