"""Which confirmed query a step starts with."""

from playbooks_local.standin_model.picking import main_table, pick_queries
from playbooks_local.standin_model.requirement import read_requirement


def picked(turns, statements):
    """The numbers picked; a turn is the user's text, or the number of the query that ran then."""
    material = [
        {"role": "user", "text": turn}
        if isinstance(turn, str)
        else {"role": "assistant", "text": "", "calls": [{"tool": "query", "result": "ok", "confirmed_query": turn}]}
        for turn in turns
    ]
    queries = [{"number": number, "statement": text} for number, text in enumerate(statements, 1)]
    wish = read_requirement([turn for turn in turns if isinstance(turn, str)])
    return [query["number"] for query in pick_queries(wish, queries, material)]


def test_the_last_query_with_the_wanted_grouping_is_picked():
    statements = [
        "SELECT region FROM a",
        "SELECT department FROM a",
        "SELECT department FROM b",
        "SELECT region FROM b",
    ]
    turns = ["sales by region", 1, 2, "by department, not by region", 3, 4]
    assert picked(turns, statements) == [3]


def test_one_query_with_every_grouping_is_better_than_one_for_each():
    statements = ["SELECT department, month FROM a", "SELECT department FROM a"]
    assert picked(["sales by department and month", 1, 2], statements) == [1]


def test_groupings_that_no_query_has_together_get_a_step_each():
    statements = ["SELECT department FROM a", "SELECT product FROM a"]
    assert picked(["sales by department and by product", 1, 2], statements) == [1, 2]


def test_a_grouping_named_otherwise_is_found_by_when_the_query_ran():
    statements = ["SELECT x FROM a", "SELECT grp, sum(v) FROM a GROUP BY grp"]
    assert picked(["sales", 1, "by team please", 2], statements) == [2]


def test_nothing_is_picked_when_no_query_ran_for_the_final_wish():
    assert picked(["sales", 1, "no, by team please"], ["SELECT x FROM a"]) == []


def test_questions_about_the_catalogue_answer_nothing():
    statements = [
        "SELECT host FROM hosts",
        "SELECT column_name FROM information_schema.columns",
        "SELECT * FROM pg_class",
    ]
    assert picked(["which hosts are down now", 1, 2, 3], statements) == [1]


def test_the_main_table_stands_after_from():
    assert main_table('WITH a AS (SELECT 1) SELECT * FROM "sales"."orders" o') == "orders"
    assert main_table("SELECT 1") == ""
