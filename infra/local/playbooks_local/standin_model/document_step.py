"""A document step by rule: the rows of the query steps, with headers for a reader, and the text that was made."""

import re

from playbooks_local.standin_model.answers import Answer, finish
from playbooks_local.standin_model.headers import header
from playbooks_local.standin_model.step_prompt import StepPrompt, column_names

_SENTENCE_END = re.compile(r"(?<=\.)\s+")


def document_step(step: StepPrompt) -> Answer:
    """The next call of a document step."""
    written = [exchange for exchange in step.prompt.exchanges if exchange.tool == "write_document"]
    if not written:
        said = step.say("I write the document.", "문서를 작성합니다.")
        return Answer(said, "write_document", _document(step))
    said = step.say("The document is done; I finish.", "문서를 마쳤으니 단계를 끝냅니다.")
    if written[-1].is_error:
        start = step.say("The document could not be written: ", "문서를 쓰지 못했습니다: ")
        return finish(said, "failed", start + written[-1].result[:400])
    return finish(
        said, "done", f"{step.say('The document was written.', '문서를 작성했습니다.')} {_glance(step)}".strip()
    )


def _glance(step: StepPrompt) -> str:
    """What a reader of the summary is told of the content: the text's first sentence, else how many rows there are."""
    for text in _texts(step):
        return _SENTENCE_END.split(text, maxsplit=1)[0]
    counts = [str(dataset["rows"]) for dataset in step.datasets if isinstance(dataset.get("rows"), int)]
    return step.say(f"Rows: {', '.join(counts)}.", f"행 수: {', '.join(counts)}.") if counts else ""


def _texts(step: StepPrompt) -> list[str]:
    return [str(result["text"]).strip() for result in step.earlier if str(result.get("text") or "").strip()]


def _document(step: StepPrompt) -> dict[str, object]:
    datasets = step.datasets
    return {
        "title": step.title,
        "notes": "\n\n".join(_texts(step)),
        "sheets": [
            {
                "title": step.title if len(datasets) == 1 else f"{step.title} {number}",
                "dataset": dataset["name"],
                "columns": [{"column": name, "header": header(name, step.language)} for name in column_names(dataset)],
            }
            for number, dataset in enumerate(datasets, 1)
        ],
    }
