"""Model suite for tests and benchmarks: SUITE maps a name to the function that builds its `Spec`.

Every builder is deterministic (fixed seed) and needs no network.
"""

from model_suite import decoders, encoders, images, inception, llama, small, speech  # noqa: F401  (they register)
from model_suite.llama import custom_sdpa_twin  # noqa: F401
from model_suite.spec import SUITE  # noqa: F401
