"""What a run costs, counted as it happens."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the model (input counts what was read from its cache too) and model calls."""

    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.model_calls + other.model_calls,
        )

    @property
    def tokens(self) -> int:
        """Tokens in both directions: what the ceilings count."""
        return self.input_tokens + self.output_tokens
