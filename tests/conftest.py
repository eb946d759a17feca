"""What all tests share: properties draw the same examples at every run, so that a red run is red again.

`HYPOTHESIS_PROFILE=explore pytest …` draws new ones, to look for what nobody thought of.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
