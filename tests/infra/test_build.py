"""The layers for this machine: built once for each lock, and never half."""

import os

import pytest

from playbooks_local import build
from playbooks_local.paths import emulator_python
from playbooks_local.problems import BuildFailed

pytestmark = pytest.mark.skipif(
    not emulator_python().exists(), reason="the emulator's environment is missing: run `make setup`"
)


@pytest.fixture
def locks(tmp_path, monkeypatch):
    """A lock for each layer that the tests may change."""
    for name in build.LOCKED_LAYERS:
        (tmp_path / "layers" / name).mkdir(parents=True)
        (tmp_path / "layers" / name / "requirements.txt").write_text(f"# {name}\n")
    monkeypatch.setattr(build, "LAYERS", tmp_path / "layers")
    return tmp_path / "layers"


@pytest.fixture
def installed(monkeypatch):
    """Stands in for the package index; records which locks were installed."""
    done = []

    def install(lock, _python, target):
        done.append(lock.parent.name)
        (target / "bin").mkdir(parents=True)
        (target / "package.py").write_text(lock.read_text())

    monkeypatch.setattr(build, "_install", install)
    return done


def test_a_layer_is_built_once_for_its_lock(locks, installed, tmp_path):
    first = build.build_layers(tmp_path / "out")
    assert build.build_layers(tmp_path / "out") == first
    assert sorted(installed) == sorted(build.LOCKED_LAYERS)


def test_a_changed_lock_is_built_anew_and_only_that_one(locks, installed, tmp_path):
    before = build.build_layers(tmp_path / "out")
    installed.clear()
    (locks / "engine" / "requirements.txt").write_text("# changed\n")
    after = build.build_layers(tmp_path / "out")
    assert installed == ["engine"]
    assert after["engine"] != before["engine"]
    assert (after["engine"] / "python" / "package.py").read_text() == "# changed\n"


def test_programs_of_packages_are_not_shipped(locks, installed, tmp_path):
    built = build.build_layers(tmp_path / "out")
    assert [path.name for path in (built["runtime"] / "python").iterdir()] == ["package.py"]


def test_an_interrupted_build_leaves_nothing_and_the_next_one_builds(locks, installed, tmp_path, monkeypatch):
    def interrupted(_lock, _python, target):
        target.mkdir(parents=True)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(build, "_install", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build.build_layers(tmp_path / "out")
    assert list((tmp_path / "out" / "layers").iterdir()) == []
    build.build_layers(tmp_path / "out")
    assert sorted(installed) == sorted(build.LOCKED_LAYERS)


def test_a_build_that_another_was_faster_with_takes_the_other(locks, tmp_path, monkeypatch):
    def install(lock, _python, target):
        target.mkdir(parents=True)
        (target / "late").touch()
        name = build._fingerprint(lock, emulator_python())
        winner = tmp_path / "out" / "layers" / f"{lock.parent.name}-{name}" / "python"
        winner.mkdir(parents=True)
        (winner / "first").touch()

    monkeypatch.setattr(build, "_install", install)
    built = build.build_layers(tmp_path / "out")
    assert [path.name for path in (built["engine"] / "python").iterdir()] == ["first"]


def test_where_uv_does_not_reach_the_index_pip_builds(locks, tmp_path, monkeypatch):
    broken = tmp_path / "bin" / "uv"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 2\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}{os.pathsep}{os.environ['PATH']}")
    build.build_layers(tmp_path / "out")  # an empty lock needs no index


def test_a_package_that_is_not_to_be_had_is_named(locks, tmp_path, monkeypatch):
    (locks / "runtime" / "requirements.txt").write_text(f"no-such-package @ file://{tmp_path}/none.whl\n")
    with pytest.raises(BuildFailed, match="layer runtime could not be built"):
        build.build_layers(tmp_path / "out")
    assert list((tmp_path / "out" / "layers").iterdir()) == []
