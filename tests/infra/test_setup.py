"""What makes the environments anew, and what does not."""

import importlib.util
import re
import sys

import pytest

from playbooks_local.paths import ROOT


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """infra/setup.py on a copy of the files that it decides by."""
    spec = importlib.util.spec_from_file_location("setup_under_test", ROOT / "infra" / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("LOCK", "EMU_LOCK"):
        copy = tmp_path / getattr(module, name).relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(getattr(module, name).read_bytes())
        monkeypatch.setattr(module, name, copy)
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name, folder in (("VENV", ".venv"), ("EMU", ".emu")):
        monkeypatch.setattr(module, name, tmp_path / folder)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def fingerprints(setup):
    return setup.fingerprint(setup.LOCK), setup.fingerprint(setup.EMU_LOCK)


def change(setup, pattern, replacement):
    file = setup.ROOT / "pyproject.toml"
    text, count = re.subn(pattern, replacement, file.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1
    file.write_text(text)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"^line-length = \d+", "line-length = 99"),
        (r"^description = .*", 'description = "Another."'),
        (r"^\[tool\.mypy\]", "# a remark\n[tool.mypy]"),
        (r"^runtime = \[", 'runtime = [ "another",'),
    ],
    ids=["a linter's setting", "a description", "a remark", "a group that the lock speaks for"],
)
def test_what_installs_nothing_else_makes_nothing_anew(setup, pattern, replacement):
    before = fingerprints(setup)
    change(setup, pattern, replacement)
    assert fingerprints(setup) == before


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"^name = .*", 'name = "another"'),
        (r"^playbooks = .*", 'playbooks = "playbooks_local.cli:other"'),
        (r"^dev-mode-dirs = .*", 'dev-mode-dirs = ["elsewhere"]'),
        (r"^requires = .*", 'requires = ["hatchling>=2"]'),
    ],
    ids=["the name", "a script", "where the packages are", "what builds it"],
)
def test_what_decides_the_install_makes_the_project_s_environment_anew_and_not_the_emulator_s(
    setup, pattern, replacement
):
    project, emulator = fingerprints(setup)
    change(setup, pattern, replacement)
    assert setup.fingerprint(setup.LOCK) != project
    assert setup.fingerprint(setup.EMU_LOCK) == emulator


def test_each_environment_is_made_anew_for_its_lock_alone(setup):
    project, emulator = fingerprints(setup)
    setup.EMU_LOCK.write_text(setup.EMU_LOCK.read_text() + "\n# other\n")
    assert setup.fingerprint(setup.LOCK) == project
    assert setup.fingerprint(setup.EMU_LOCK) != emulator
    setup.LOCK.write_text(setup.LOCK.read_text() + "\n# other\n")
    assert setup.fingerprint(setup.LOCK) != project


def test_a_checkout_that_cannot_be_written_is_said_in_one_line_before_anything_is_removed(setup, monkeypatch, capsys):
    half = setup.VENV / "half-made"
    half.mkdir(parents=True)
    monkeypatch.setattr(setup.os, "access", lambda *_: False)
    monkeypatch.setattr(sys, "argv", ["setup.py"])
    assert setup.main() == 1
    assert capsys.readouterr().err == (
        f"setup: {setup.ROOT} cannot be written: use a checkout in a folder of your own.\n"
    )
    assert half.exists()


def test_the_layers_are_built_when_both_environments_are_ready(setup, monkeypatch):
    done = []
    monkeypatch.setattr(setup, "ready", lambda *_: True)
    monkeypatch.setattr(setup, "build_layers", lambda: done.append("layers"))
    monkeypatch.setattr(sys, "argv", ["setup.py"])
    assert setup.main() == 0
    assert done == ["layers"]
