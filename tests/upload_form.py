"""Sends a file by an upload's form, as a browser does."""

import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping


def send_form(url: str, fields: Mapping[str, str], file: bytes) -> int:
    """The status of a POST as `multipart/form-data`: the fields in order, the file last."""
    edge = uuid.uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="chat.json"\r\n\r\n'.encode()
    body = b"".join([*parts, head, file, f"\r\n--{edge}--\r\n".encode()])
    headers = {"Content-Type": f"multipart/form-data; boundary={edge}"}
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
