"""What can go wrong at an effect, how often, and what the process then sees."""

from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from tests.simulation.engine import Actor, Engine


class Fault(Enum):
    """One fate of one effect."""

    NONE = auto()
    CRASH_BEFORE = auto()
    CRASH_AFTER = auto()
    STALL_BEFORE = auto()
    STALL_AFTER = auto()
    ANSWER_LOST = auto()
    """It happened, and the caller is told that nobody answered."""
    NOT_DONE = auto()
    """It did not happen, and the caller is told that nobody answered."""
    LATE = auto()
    """The caller is told that nobody answered, and then it happens (a request that was on its way)."""
    DOUBLED = auto()
    """It happens twice at once, the caller sees the second answer (a client's own retry)."""
    AGAIN_LATER = auto()
    """It happens, and a second time later."""
    THROTTLED = auto()
    CONFLICT = auto()


_HARMFUL = [fault for fault in Fault if fault is not Fault.NONE]


@dataclass(frozen=True)
class Rates:
    """How likely each fault is; all together `total`."""

    total: float
    weights: tuple[float, ...]

    @classmethod
    def drawn(cls, random: Random) -> "Rates":
        """From nearly none to every seventh effect; each seed has faults it is fond of."""
        total = random.choice((0.005, 0.02, 0.05, 0.1, 0.15))
        weights = tuple(random.choice((0.0, 0.3, 1.0, 1.0, 3.0)) for _ in _HARMFUL)
        return cls(total if any(weights) else 0.0, weights)


class Fates:
    """Draws the fate of each effect; none once it is calm."""

    def __init__(self, engine: Engine, rates: Rates) -> None:
        self._engine = engine
        self._rates = rates
        self.calm = False
        self.dozing = engine.random.random() < 0.1
        """Workers of this seed fall asleep when a step is done and not yet saved."""

    def draw(self, allowed: frozenset[Fault]) -> Fault:
        """A fault that can happen to this kind of effect, or none."""
        random = self._engine.random
        if self.calm or random.random() >= self._rates.total:
            return Fault.NONE
        (fault,) = random.choices(_HARMFUL, self._rates.weights)
        return fault if fault in allowed else Fault.NONE

    def latency(self, actor: Actor, least: float, most: float) -> None:
        """Let the effect take its time; now and then much longer, so that others get between."""
        random = self._engine.random
        seconds = random.uniform(least, most)
        if not self.calm and random.random() < 0.03:
            seconds += random.uniform(0.5, 8)
        self._engine.sleep(actor, seconds)

    def stall(self, actor: Actor) -> None:
        """A pause of the process that may outlive its lease."""
        self._engine.sleep(
            actor, self._engine.random.choice((20, 100, 340, 700)) * self._engine.random.uniform(0.5, 1.5)
        )
