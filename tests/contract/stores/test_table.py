"""What a table does: conditions, transactions, indexes. The engine itself is hammered first."""

import json
from pathlib import Path
from typing import Any

import pytest

from playbooks.adapters.dynamodb.operations import (
    NEW,
    AllOf,
    AnyOf,
    Check,
    Condition,
    ConditionFailed,
    Delete,
    Equals,
    Exists,
    Less,
    Missing,
    OneOf,
    Put,
    RequestRefused,
    Table,
    TransactionRefused,
    Update,
    Write,
)
from tests.contract.stores.racing import race

CASES = json.loads((Path(__file__).parent / "conditions.json").read_text("utf-8"))
ROUNDS = 25


def parse(raw: Any) -> Condition:
    ((name, value),) = raw.items()
    match name:
        case "exists":
            return Exists(value)
        case "missing":
            return Missing(value)
        case "equals":
            return Equals(*value)
        case "less":
            return Less(*value)
        case "one_of":
            return OneOf(value[0], tuple(value[1]))
        case "all_of":
            return AllOf(tuple(map(parse, value)))
        case "any_of":
            return AnyOf(tuple(map(parse, value)))
    raise ValueError(name)


def put(name: str, sort: str = "S", **attributes: object) -> Put:
    return Put({"PK": name, "SK": sort, **attributes})


def happens(table: Table, write: Write) -> bool:
    try:
        table.write(write)
    except ConditionFailed:
        return False
    return True


@pytest.mark.parametrize("kind", ["put", "update", "delete", "transaction"])
def test_eight_writers_under_one_condition_have_exactly_one_winner(table: Table, kind: str):
    """F33: an engine that lets two writers win would prove nothing."""
    for number in range(ROUNDS):
        table.write(put(f"k{number}", version=0))
        key, unchanged = (f"k{number}", "S"), Equals("version", 0)

        def attempt(racer: int, key=key, unchanged=unchanged) -> bool:
            match kind:
                case "put":
                    return happens(table, Put({"PK": key[0], "SK": "S", "version": 1, "by": racer}, unchanged))
                case "update":
                    return happens(table, Update(key, {"by": racer}, add={"version": 1}, condition=unchanged))
                case "delete":
                    return happens(table, Delete(key, unchanged))
            writes = [Update(key, {"version": 1, "by": racer}, condition=unchanged), put(key[0], f"R{racer}")]
            for _ in range(20):
                try:
                    table.transact(writes)
                except TransactionRefused as refused:
                    if "ConditionalCheckFailed" in refused.reasons:
                        return False
                else:
                    return True
            return False

        assert sum(race(attempt)) == 1, number
        if kind == "transaction":
            assert len(table.query(key[0], prefix="R")[0]) == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case, ensure_ascii=False)[:90])
def test_a_condition_holds_alike(table: Table, case: dict[str, Any]):
    table.write(put("k", **case["item"]))
    write = Update(("k", "S"), {"written": True}, condition=parse(case["condition"]))
    assert happens(table, write) is case["holds"]
    assert ("written" in (table.get(("k", "S")) or {})) is case["holds"]
    table.write(put("k", **case["item"]))
    transaction = [Check(("k", "S"), parse(case["condition"])), put("other")]
    if case["holds"]:
        table.transact(transaction)
    else:
        with pytest.raises(TransactionRefused) as refused:
            table.transact(transaction)
        assert refused.value.reasons == ("ConditionalCheckFailed", None)


def test_a_failed_condition_says_what_is_there_instead(table: Table):
    table.write(put("k", lease_id="mine"))
    with pytest.raises(ConditionFailed) as failed:
        table.write(Put({"PK": "k", "SK": "S"}, NEW))
    assert failed.value.item == {"PK": "k", "SK": "S", "lease_id": "mine"}
    with pytest.raises(ConditionFailed) as failed:
        table.write(Update(("none", "S"), {"a": 1}, condition=Exists("PK")))
    assert failed.value.item is None


def test_a_refused_transaction_writes_nothing_and_names_each_reason_by_its_place(table: Table):
    table.write(put("there"))
    writes = [
        put("a"),
        Put({"PK": "there", "SK": "S"}, NEW),
        put("b"),
        Update(("c", "S"), {"x": 1}, condition=Exists("x")),
    ]
    with pytest.raises(TransactionRefused) as refused:
        table.transact(writes)
    assert refused.value.reasons == (None, "ConditionalCheckFailed", None, "ConditionalCheckFailed")
    assert table.batch_get([("a", "S"), ("b", "S"), ("c", "S")]) == {}


def test_a_transaction_takes_a_hundred_writes_and_no_more(table: Table):
    table.transact([put(f"k{number}") for number in range(100)])
    assert len(table.batch_get([(f"k{number}", "S") for number in range(100)])) == 100
    with pytest.raises(TransactionRefused) as refused:
        table.transact([put(f"m{number}") for number in range(101)])
    assert refused.value.reasons == ()


def test_one_item_twice_refuses_the_whole_transaction_without_reasons(table: Table):
    with pytest.raises(TransactionRefused) as refused:
        table.transact([put("a"), Update(("k", "S"), add={"n": 1}), Update(("k", "S"), add={"n": 1})])
    assert refused.value.reasons == ()
    assert table.get(("a", "S")) is None


def test_an_item_over_400_kilobytes_is_refused_alone_and_in_a_transaction(table: Table):
    with pytest.raises(RequestRefused):
        table.write(put("big", text="x" * 410_000))
    with pytest.raises(TransactionRefused):
        table.transact([put("small"), put("big", text="x" * 410_000)])
    assert table.get(("small", "S")) is None


def test_what_is_written_comes_back_equal(table: Table):
    attributes = {
        "text": "회의록 \U0001f600 \u0000 end",
        "whole": -12345678901234567890,
        "yes": True,
        "none": None,
        "empty": "",
        "list": [1, "a", [True], {"b": None}],
        "map": {"a#b.c": {"": 0}},
        "status": "a reserved word",
    }
    table.write(put("k", **attributes))
    assert table.get(("k", "S")) == {"PK": "k", "SK": "S", **attributes}


def test_an_update_sets_removes_and_adds_and_makes_what_is_not_there(table: Table):
    table.write(Update(("k", "S"), {"a": 1, "b": 2}, add={"n": 2}))
    table.write(Update(("k", "S"), {"a": 3}, remove=("b",), add={"n": 5}))
    assert table.get(("k", "S")) == {"PK": "k", "SK": "S", "a": 3, "n": 7}


def test_a_deleted_item_is_gone_from_the_table_and_from_its_index(table: Table):
    table.write(put("k", wake_pk="W", wake_sk="1"))
    table.write(Delete(("k", "S")))
    assert table.get(("k", "S")) is None
    assert table.query("W", index="wake")[0] == []


def test_a_query_goes_in_order_by_prefix_and_page_by_page(table: Table):
    for sort in ("B#2", "A#1", "B#1", "B#3", "C"):
        table.write(put("k", sort))
    assert [item["SK"] for item in table.query("k", prefix="B#")[0]] == ["B#1", "B#2", "B#3"]
    seen, start = [], None
    while True:
        page, start = table.query("k", descending=True, limit=2, start=start)
        seen += [item["SK"] for item in page]
        if start is None:
            break
    assert seen == ["C", "B#3", "B#2", "B#1", "A#1"]


def test_the_wake_index_is_sparse_sorted_by_time_and_read_up_to_now(table: Table):
    for name, at in (("late", "2026-11-30T09:02"), ("early", "2026-11-30T08:58"), ("now", "2026-11-30T09:00")):
        table.write(put(name, wake_pk="DUE#03", wake_sk=f"{at}#{name}"))
    table.write(put("off"))
    found, more = table.query("DUE#03", index="wake", up_to="2026-11-30T09:00~")
    assert ([item["PK"] for item in found], more) == (["early", "now"], None)
    table.write(put("early"))
    assert [item["PK"] for item in table.query("DUE#03", index="wake")[0]] == ["now", "late"]


def test_a_place_in_an_index_is_good_though_its_item_has_moved_away(table: Table):
    for number in range(4):
        table.write(put(f"k{number}", wake_pk="W", wake_sk=f"{number}"))
    table.write(put("k1"))
    start = table.index_start("wake", "W", "1", ("k1", "S"))
    assert [item["PK"] for item in table.query("W", index="wake", start=start)[0]] == ["k2", "k3"]
