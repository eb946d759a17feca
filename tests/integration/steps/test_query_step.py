"""A query step on a real PostgreSQL: what is run, what is refused, what is left for next time."""

import json

from playbooks.domain.run import RunStatus
from playbooks.ports.directory import Person, RoleCheck
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

    result = stage.play(("run_query", {"sql": COUNT}), during=revoke)
    assert (result.queries, result.outcome) == ((), "failed")
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
    stage.play("I think", "I am thinking", "Still thinking")
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.FAILED, "no_progress")
    assert "(Still thinking)" in stage.world.push.published[0][1].body


def test_a_role_the_login_may_not_become_any_more_blocks_the_run_with_the_reason(stage):
    result = stage.play(
        ("run_query", {"sql": COUNT}),
        ("run_query", {"sql": "SELECT 2 AS two"}),
        role="app_gone",
    )
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.BLOCKED, "role_refused")
    assert "may not act as app_gone" in run.reason
    assert (result.queries, stage.script.requests) == ((), [])


def test_a_role_that_is_taken_away_after_its_daily_check_blocks_the_run_at_the_statement(stage):
    def revoke(stage):
        stage.register("app_gone")

    result = stage.play(("run_query", {"sql": COUNT}), during=revoke)
    assert stage.world.run(stage.id).reason_code == "role_refused"
    assert (result.queries, len(stage.script.requests)) == ((), 1)


def test_a_role_that_is_refused_while_tables_are_described_blocks_the_run(stage):
    stage.play(("describe_tables", {"search": ""}), during=lambda stage: stage.register("app_gone"))
    assert stage.world.run(stage.id).reason_code == "role_refused"


def test_a_password_that_is_refused_fails_the_run_at_once_for_no_statement_can_mend_it(stage):
    stage.secret["password"] = "wrong"
    stage.play(("run_query", {"sql": COUNT}))
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.FAILED, "wrong_password")


def test_the_model_sees_each_column_at_a_glance_and_so_do_the_later_steps(stage):
    result = stage.play(
        ("run_query", {"sql": "SELECT n, n % 2 = 0 AS even, CASE WHEN n > 2 THEN n END FROM generate_series(1, 4) n"}),
        finish(next_sql="new", statement=COUNT),
    )
    shown = json.loads(stage.script.results[0][0])
    assert shown["summary"] == json.loads(result.datasets[0].summary)
    assert shown["summary"] == [
        {"name": "n", "nulls": 0, "distinct": 4, "least": 1, "greatest": 4, "total": 10},
        {"name": "even", "nulls": 0, "distinct": 2, "frequent": [[False, 2], [True, 2]]},
        {"name": "case", "nulls": 2, "distinct": 2, "least": 3, "greatest": 4, "total": 7},
    ]


def test_what_the_model_sees_of_a_result_is_bounded_whatever_it_holds(stage):
    columns = ", ".join(f"repeat('x', 10000) AS c{number}" for number in range(500))
    stage.play(
        ("run_query", {"sql": f"SELECT {columns}"}),
        ("run_query", {"sql": "SELECT 1e1000::numeric AS big, repeat('가', 100000) AS long"}),
        finish(next_sql="new", statement=COUNT),
    )
    wide, long = (json.loads(text) for text, _ in stage.script.results[:2])
    assert len(json.dumps(wide["summary"], ensure_ascii=False)) <= 4_500
    assert 0 < len(wide["summary"]) < len(wide["columns"]) == 500 - wide["columns_left_off"]
    assert long["summary"][0]["total"].endswith("(1001 characters)")
    assert long["preview"][0][1].endswith("… (100000 characters)")


def test_the_log_says_that_the_saved_sql_failed_and_why_when_it_was_rewritten(stage):
    result = stage.play(
        ("run_saved_query", {}),
        ("run_query", {"sql": COUNT}),
        finish(next_sql="new", statement=COUNT),
        saved="SELECT old_total FROM orders",
    )
    assert result.saved_query == "replaced"
    assert result.notes == ('saved SQL failed: column "old_total" does not exist; rewritten',)


def test_a_rewriting_without_a_failure_is_told_without_one(stage):
    result = stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), saved=LITERAL)
    assert (result.saved_query, result.notes) == ("replaced", ())


def test_the_same_statement_submitted_again_is_no_rewriting(stage):
    result = stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), saved=COUNT)
    assert (result.saved_query, stage.saved().rewritten, stage.saved().version) == ("kept", 0, 1)


def test_every_statement_that_ran_is_in_the_log_also_when_the_step_goes_in_circles(stage):
    result = stage.play(
        ("run_query", {"sql": COUNT}), ("run_query", {"sql": "SELECT 2 AS two"}), "Hm", "Hm", "I do not know"
    )
    run = stage.world.run(stage.id)
    assert (run.status, run.reason_code) == (RunStatus.FAILED, "no_progress")
    assert [query.statement for query in result.queries] == [COUNT, "SELECT 2 AS two"]
    assert (result.outcome, result.summary) == ("failed", run.reason)


def test_every_statement_that_ran_is_in_the_log_also_when_a_right_goes_in_the_middle(stage):
    def revoke(stage):
        if len(stage.script.requests) == 1:
            stage.world.workspace.register_person(ACME, Person(MINA, "Mina", frozenset()))

    result = stage.play(("run_query", {"sql": COUNT}), ("run_query", {"sql": COUNT}), during=revoke)
    assert stage.world.run(stage.id).status is RunStatus.BLOCKED
    assert [(query.statement, query.ok) for query in result.queries] == [(COUNT, True)]


def test_every_statement_that_ran_is_in_the_log_also_when_the_run_is_cancelled_meanwhile(stage):
    def cancel(stage):
        if len(stage.script.requests) == 1:
            stage.world.use_runs.cancel(stage.world.mina, stage.id)

    result = stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), during=cancel)
    assert stage.world.run(stage.id).status is RunStatus.CANCELLED
    assert [query.statement for query in result.queries] == [COUNT]
    assert (result.outcome, stage.saved()) == ("unfinished", None)


def test_a_step_takes_no_statement_beyond_what_its_log_can_hold(stage):
    long = f"SELECT 1 AS one /* {'x' * 19_900} */"
    result = stage.play(*[("run_query", {"sql": long})] * 9, finish(next_sql="new", statement=COUNT))
    assert [error for _, error in stage.script.results] == [False] * 6 + [True] * 3
    assert "no more are taken" in stage.script.results[-1][0]
    assert len(result.queries) == 6


def test_the_tables_of_a_statement_count_in_what_its_log_can_hold(stage):
    many = " UNION ALL ".join(f"SELECT 1 FROM t{n:04}_{'x' * 58}" for n in range(240))
    result = stage.play(*[("run_query", {"sql": many})] * 9, finish("failed"), finish())
    assert [error for _, error in stage.script.results] == [True] * 9
    logged = sum(len("".join((query.statement, *query.tables))) for query in result.queries)
    assert 100_000 < logged < 150_000
    assert "no more are taken" in stage.script.results[-1][0]


def test_columns_beyond_what_the_log_can_hold_are_counted_and_stay_in_the_file(stage):
    wide = "SELECT " + ", ".join(f"{n} AS c{n:04}_{'x' * 40}" for n in range(260))
    result = stage.play(*[("run_query", {"sql": wide})] * 6, finish(next_sql="new", statement=COUNT))
    shown = json.loads(stage.script.results[0][0])
    assert (len(shown["columns"]), shown["columns_left_off"]) == (200, 60)
    assert [len(dataset.columns) + dataset.columns_left_off for dataset in result.datasets] == [260] * 6
    assert len(result.datasets[-1].columns) == 200
    names = [name for dataset in result.datasets for name, _ in dataset.columns]
    assert 30_000 < sum(map(len, names)) < 40_000
    assert len(stage.dataset(result)[0]) == 260


def test_what_the_role_may_do_beyond_reading_is_found_out_and_told_at_enabling(stage):
    before = stage.cautions()
    stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), role="app_owner")
    after = stage.cautions()
    assert [caution.code for caution in before] == ["role_not_checked"]
    assert "role_may_write" in {caution.code for caution in after}
    assert {caution.path for caution in after} == {"/steps/0/inputs/database"}
    assert all(caution.message.startswith("In 'shop': The role ") for caution in after)


def role_check(stage):
    workspace = stage.world.workspace
    return workspace.role_check(ACME, workspace.database(ACME, "shop"), "app_ro")


def test_a_role_is_looked_at_once_a_day(stage):
    stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT))
    first = role_check(stage)
    stage.world.clock.forward(hours=23)
    stage.again(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), key="second")
    assert role_check(stage) == first
    stage.world.clock.forward(hours=2)
    stage.again(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), key="third")
    assert role_check(stage).checked_at > first.checked_at


def test_a_role_that_only_reads_is_told_to_be_nothing_to_worry_about(stage):
    workspace = stage.world.workspace
    workspace.save_role_check(ACME, workspace.database(ACME, "shop"), RoleCheck("app_ro", stage.world.clock.now()))
    assert stage.cautions() == ()


def test_a_version_that_is_replaced_stays_in_the_history_of_the_step(stage):
    stage.play(("run_query", {"sql": COUNT}), finish(next_sql="new", statement=COUNT), saved=LITERAL)
    (former,) = stage.world.playbooks.former_queries(ACME, stage.playbook, "s1")
    assert (former.statement, former.version, stage.saved().version) == (LITERAL, 1, 2)
