"""A document step by rule: the rows of the query steps, with headers for a reader, and the text that was made."""

from playbooks_local.standin_model.answers import Answer, finish
from playbooks_local.standin_model.headers import header
from playbooks_local.standin_model.step_prompt import StepPrompt, column_names


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
    return finish(said, "done", step.say("The document was written.", "문서를 작성했습니다."))


def _document(step: StepPrompt) -> dict[str, object]:
    datasets = step.datasets
    texts = [str(result["text"]).strip() for result in step.earlier if str(result.get("text") or "").strip()]
    return {
        "title": step.title,
        "notes": "\n\n".join(texts),
        "sheets": [
            {
                "title": step.title if len(datasets) == 1 else f"{step.title} {number}",
                "dataset": dataset["name"],
                "columns": [{"column": name, "header": header(name, step.language)} for name in column_names(dataset)],
            }
            for number, dataset in enumerate(datasets, 1)
        ],
    }
