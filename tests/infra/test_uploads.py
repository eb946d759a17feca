"""An upload's form against the emulated S3: one file, under one key, within its size."""

import dataclasses

import pytest

from playbooks.adapters.s3 import S3Artifacts
from playbooks.errors import NotFound
from tests.upload_form import send_form

MINE, HERS = "uploads/shop/mina/u1", "uploads/shop/jun/u1"
LARGEST = 1_000


@pytest.fixture
def artifacts(probe_stack):
    return S3Artifacts(probe_stack.client("s3"), probe_stack.outputs["BucketName"])


def sent(form, file):
    return send_form(form.url, form.fields, file)


def changed(form, **fields):
    return dataclasses.replace(form, fields={**form.fields, **fields})


def test_a_file_of_any_bytes_arrives_as_it_was_sent(artifacts):
    file = "부서\r\n".encode() + bytes(range(256))
    assert sent(artifacts.upload(MINE, "application/json", largest=LARGEST), file) == 204
    assert b"".join(artifacts.get(MINE)) == file


@pytest.mark.parametrize("size", [LARGEST, 1], ids=["the largest", "a single byte"])
def test_a_size_within_the_policy_is_taken(artifacts, size):
    assert sent(artifacts.upload(MINE, "application/json", largest=LARGEST), b"x" * size) == 204


@pytest.mark.parametrize("size", [LARGEST + 1, 0], ids=["a byte too many", "nothing"])
def test_a_size_outside_the_policy_is_refused_and_nothing_is_stored(artifacts, size):
    key = f"uploads/shop/mina/size-{size}"
    assert sent(artifacts.upload(key, "application/json", largest=LARGEST), b"x" * size) in {400, 403}
    with pytest.raises(NotFound):
        artifacts.get(key)


def test_a_form_takes_no_file_to_another_persons_key(artifacts):
    form = artifacts.upload(MINE, "application/json", largest=LARGEST)
    assert sent(changed(form, key=HERS), b"{}") == 403
    with pytest.raises(NotFound):
        artifacts.get(HERS)


@pytest.mark.parametrize("field", ["policy", "x-amz-signature"])
def test_a_form_that_was_tampered_with_is_refused(artifacts, field):
    form = artifacts.upload(MINE, "application/json", largest=LARGEST)
    assert sent(changed(form, **{field: form.fields[field][::-1]}), b"{}") in {400, 403}
