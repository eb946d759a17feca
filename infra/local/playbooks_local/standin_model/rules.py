"""Which rule answers a request: by the tools that are offered and the kind of step."""

from playbooks_local.standin_model import conversion
from playbooks_local.standin_model.answers import Answer, finish
from playbooks_local.standin_model.document_step import document_step
from playbooks_local.standin_model.organize_step import organize_step
from playbooks_local.standin_model.prompt import Prompt
from playbooks_local.standin_model.query_step import query_step
from playbooks_local.standin_model.step_prompt import read_step

_STEPS = {"query_database": query_step, "organize": organize_step, "create_document": document_step}


def answer(prompt: Prompt) -> Answer:
    """The next answer. A prompt no rule understands is told so, or failed where a step can be."""
    if conversion.TOOL in prompt.tools:
        return conversion.conversion(prompt)
    if "finish_step" not in prompt.tools:
        return Answer("I am a stand-in that works by rules: I only convert conversations and work on steps.")
    step = read_step(prompt)
    rule = _STEPS.get(step.kind)
    if rule is None:
        said = step.say("I cannot do this kind of step.", "이 종류의 단계는 수행할 수 없습니다.")
        why = step.say(
            f"The stand-in model has no rule for steps of the kind {step.kind}: set ANTHROPIC_API_KEY.",
            f"대역 모델에는 {step.kind} 단계의 규칙이 없습니다. ANTHROPIC_API_KEY를 설정하세요.",
        )
        return finish(said, "failed", why)
    return rule(step)
