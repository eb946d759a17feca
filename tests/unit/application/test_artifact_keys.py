"""Keys of files say whose they are, and files of runs lie where the bucket lets them expire."""

from playbooks.application.artifact_keys import checkpoint_key, conversation_key, dataset_key, document_key, upload_key
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE
from tests.world import ACME, MINA


def test_what_a_run_left_and_a_file_on_its_way_in_expire_and_an_imported_conversation_does_not():
    rules = load_template(TEMPLATE)["Resources"]["Bucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    prefix, uploads = [rule["Prefix"] for rule in rules if rule.get("ExpirationInDays")]
    for key in (
        dataset_key(ACME, "r1", "s1_q1"),
        document_key(ACME, "r1", 2, "a.xlsx"),
        checkpoint_key(ACME, "r1", 0, 1),
    ):
        assert key.startswith(f"{prefix}acme/r1/")
    assert conversation_key(ACME, MINA, "v1") == "conversations/acme/mina/v1"
    assert upload_key(ACME, MINA, "u1") == f"{uploads}acme/mina/u1"
