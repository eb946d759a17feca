"""What the stand-in reads out of the prompt of a step."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playbooks_local.standin_model.prompt import Prompt
from playbooks_local.standin_model.speech import language_of

_HEAD = re.compile(r"^Step \d+ of \d+, (?P<kind>[a-z_]+):\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StepPrompt:
    """One step: its kind, what it is to do and in which language, and what the earlier steps left."""

    prompt: Prompt
    kind: str
    instruction: str
    title: str
    earlier: Sequence[Mapping[str, Any]]

    @property
    def language(self) -> str:
        """The language of the instruction."""
        return language_of(self.instruction)

    def say(self, english: str, korean: str) -> str:
        """The words in the step's language."""
        return korean if self.language == "ko" else english

    @property
    def datasets(self) -> list[Mapping[str, Any]]:
        """The last dataset of each query step: earlier ones were tries."""
        return [step["datasets"][-1] for step in self.earlier if step.get("datasets")]


def read_step(prompt: Prompt) -> StepPrompt:
    """Raises ValueError for a prompt that is not one of a step."""
    text = str(prompt.blocks.get("step", ""))
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("the prompt has no step in it")
    earlier = prompt.blocks.get("earlier_results")
    return StepPrompt(
        prompt=prompt,
        kind=head["kind"],
        instruction=text[head.end() :].strip(),
        title=str(prompt.blocks.get("playbook", "")).strip(),
        earlier=[step for step in earlier if isinstance(step, dict)] if isinstance(earlier, list) else [],
    )


def preview_of(dataset: Mapping[str, Any]) -> list[list[Any]]:
    """The first rows of a dataset; in `<earlier_results>` they are JSON in a text."""
    preview = dataset.get("preview", [])
    if isinstance(preview, str):
        try:
            preview = json.loads(preview)
        except ValueError:
            preview = []
    return [row for row in preview if isinstance(row, list)]


def column_names(dataset: Mapping[str, Any]) -> list[str]:
    """Its columns, in order."""
    return [str(column["name"]) for column in dataset.get("columns", [])]
