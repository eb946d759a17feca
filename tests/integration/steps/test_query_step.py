"""A query step on a real PostgreSQL: what is run, what is refused, what is left for next time."""

from playbooks.domain.run import RunStatus
from playbooks.ports.directory import Person
from tests.integration.steps.conftest import finish
from tests.world import ACME, MINA

COUNT = "SELECT count(*) AS orders FROM orders"
SINCE = "SELECT count(*) AS orders FROM orders WHERE ordered_at >= {{since}}"
LITERAL = "SELECT count(*) AS orders FROM orders WHERE ordered_at >= DATE '2026-01-01'"


def test_the_saved_query_run_as_it_is_stays_and_is_counted_as_reused(stage):
    result = stage.play(("run_saved_query", {}), finish(next_sql="unchanged"), saved=COUNT)
    (query,) = result.queries
    assert (query.statement, query.ok, query.suggested, query.rows) == (COUNT, True, True, 1)
    assert (query.role, query.tables) == ("app_ro", ("orders",))
    assert stage.dataset(result) == [[200]]
    assert (stage.saved().statement, stage.saved().reused, result.saved_query) == (COUNT, 1, "reused")


def test_the_suggestion_names_its_literal_dates_and_its_life(stage):
    stage.play(("run_saved_query", {}), finish(next_sql="unchanged"), saved=LITERAL)
    opening = stage.script.requests[0].turns[0].parts[0].text
    assert '"literal_dates": ["2026-01-01"]' in opening
    assert '"reused": 0' in opening


def test_a_statement_with_placeholders_replaces_the_saved_one(stage):
    result = stage.play(
        ("run_query", {"sql": LITERAL}),
        finish(next_sql="new", statement=SINCE, since=("date", "2026-01-20")),
        saved=LITERAL,
    )
    saved = stage.saved()
    assert (saved.statement, saved.rewritten, saved.version, result.saved_query) == (SINCE, 1, 2, "replaced")
    assert saved.origin == f"run {stage.id}"


def test_a_saved_query_with_placeholders_is_filled_by_typed_values(stage):
    stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=SINCE, since=("date", "2026-01-20")))
    first = stage.saved()
    result = stage.again(("run_saved_query", {"since": "2026-01-20"}), finish(next_sql="unchanged"))
    assert result.queries[0].statement == SINCE.replace("{{since}}", "DATE '2026-01-20'")
    assert (stage.saved().statement, stage.saved().reused) == (first.statement, 1)
    schema = next(spec for spec in stage.script.requests[0].tools if spec.name == "run_saved_query").schema
    assert schema["required"] == ["since"]


def test_unchanged_is_accepted_only_after_the_saved_query_ran_well(stage):
    result = stage.play(
        ("run_query", {"sql": "SELECT 1 AS one"}),
        finish(next_sql="unchanged"),
        finish(next_sql="new", statement="SELECT 1 AS one"),
        saved=COUNT,
    )
    assert "needs a successful run_saved_query" in stage.script.results[1][0]
    assert (stage.saved().statement, result.saved_query) == ("SELECT 1 AS one", "replaced")


def test_a_refused_submission_goes_back_twice_then_the_old_one_stays_and_the_log_says_so(stage):
    bad = finish(next_sql="new", statement="SELECT * FROM orders WHERE note = '{{x}}'", x=("string", "a"))
    result = stage.play(("run_query", {"sql": COUNT}), bad, bad, bad, saved=LITERAL)
    assert [error for _, error in stage.script.results] == [False, True, True]
    assert (stage.saved().statement, result.saved_query, result.outcome) == (LITERAL, "kept", "done")
    assert "was refused" in result.notes[0]


def test_done_without_a_query_is_asked_about_once_and_then_is_zero_processed(stage):
    result = stage.play(finish(), finish())
    assert "no query succeeded" in stage.script.results[0][0]
    assert (result.outcome, result.notes, result.queries) == ("done", ("zero processed",), ())
    assert stage.world.run(stage.id).status is RunStatus.COMPLETED


def test_a_write_is_refused_before_the_server_sees_it_and_the_log_keeps_it(stage):
    result = stage.play(
        ("run_query", {"sql": "DELETE FROM victim"}),
        ("run_query", {"sql": COUNT}),
        finish(next_sql="new", statement=COUNT),
    )
    refused, _ = result.queries
    assert (refused.ok, "Refused" in refused.error) == (False, True)
    assert stage.script.results[0][1] is True


def test_an_error_of_the_server_goes_back_to_the_model_in_its_words(stage):
    stage.play(
        ("run_query", {"sql": "SELECT nothing FROM orders"}),
        ("run_query", {"sql": COUNT}),
        finish(next_sql="new", statement=COUNT),
    )
    text, error = stage.script.results[0]
    assert error
    assert 'column "nothing" does not exist' in text


def test_stopped_is_offered_and_accepted_only_where_the_step_may_end_the_run(stage):
    result = stage.play(finish("stopped"), finish(), finish())
    assert "may not end the run" in stage.script.results[0][0]
    assert result.outcome == "done"
    outcomes = next(spec for spec in stage.script.requests[0].tools if spec.name == "finish_step").schema
    assert outcomes["properties"]["outcome"]["enum"] == ["done", "failed"]


def test_stopped_ends_the_run_well_where_it_is_on(stage):
    stage.play(finish("stopped"), may_end_run=True)
    assert stage.world.run(stage.id).status is RunStatus.STOPPED
    assert stage.world.push.published[0][1].body == "Stopped, nothing more to do: It is stopped."


def test_with_pin_sql_off_nothing_is_suggested_and_nothing_saved(stage):
    stage.play(
        ("run_query", {"sql": COUNT}),
        ("finish_step", {"outcome": "done", "summary": "Counted."}),
        saved=LITERAL,
        pin_sql=False,
    )
    first = stage.script.requests[0]
    assert "saved_query kind" not in first.turns[0].parts[0].text
    assert {spec.name for spec in first.tools} == {"run_query", "describe_tables", "finish_step"}
    assert stage.saved().statement == LITERAL


def test_a_grant_taken_away_between_enabling_and_running_blocks_and_no_query_runs(stage):
    def revoke(stage):
        stage.world.workspace.register_person(ACME, Person(MINA, "Mina", frozenset()))

    assert stage.play(("run_query", {"sql": COUNT}), during=revoke) is None
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.BLOCKED, "grant_gone")
    assert stage.world.artifacts.files == {}


def test_the_model_may_ask_which_tables_there_are(stage):
    stage.play(
        ("describe_tables", {"search": "orders"}),
        ("run_query", {"sql": COUNT}),
        finish(next_sql="new", statement=COUNT),
    )
    assert "public.orders" in stage.script.results[0][0]


def test_words_without_a_call_are_nudged_and_then_the_step_fails_clearly(stage):
    assert stage.play("I think", "I am thinking", "Still thinking") is None
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.FAILED, "no_progress")
    assert "(Still thinking)" in stage.world.push.published[0][1].body
