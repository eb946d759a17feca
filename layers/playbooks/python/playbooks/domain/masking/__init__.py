"""Personal data, masked in what leaves the house.

What is said about it is kind and place, never the value.
"""

from playbooks.domain.masking.arguments import mask_arguments
from playbooks.domain.masking.model import (
    Json,
    Kind,
    Masked,
    MaskedArguments,
    MaskedText,
    MaskingRules,
    Unmaskable,
)
from playbooks.domain.masking.text import mask_text

__all__ = [
    "Json",
    "Kind",
    "Masked",
    "MaskedArguments",
    "MaskedText",
    "MaskingRules",
    "Unmaskable",
    "mask_arguments",
    "mask_text",
]
