"""Run the peer's own command with a Python callable where its network client would be.

The peer reaches models only through litellm, by way of one adapter class in one module. A stand-in
module under that name swaps the model call and nothing else: loading the spec, perturbing, judging,
verdicts, storing and printing are the peer's own code, started through the peer's own entry point.
This favours the peer: in real use it also imports litellm, which about doubles the time and memory
of the run measured here.

Usage, in the folder of `bench_callable.py`: ``python peer_driver.py run SPEC --store-path FILE``
"""

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from falsifyai.execution.models import Execution

sys.path.insert(0, str(Path.cwd()))
from bench_callable import answer  # the copy beside the spec, which keeps the count


class CallableAdapter:
    """Answer in-process, and measure the latency as any adapter of the peer does."""

    def execute(self, request: Any) -> Execution:
        """Turn one request into the peer's record of an execution."""
        start = time.perf_counter()
        text = answer(request.prompt)
        return Execution(
            request=request,
            output_text=text,
            latency_ms=(time.perf_counter() - start) * 1000.0,
            prompt_tokens=None,
            completion_tokens=None,
            cached=False,
            seed_provided=request.seed is not None,
        )


def main() -> int:
    """Install the stand-in, then hand over to the peer's command."""
    stand_in = ModuleType("falsifyai.execution.litellm_adapter")
    stand_in.LiteLLMAdapter = CallableAdapter  # type: ignore[attr-defined]
    sys.modules[stand_in.__name__] = stand_in

    from falsifyai.cli.main import main as peer  # must come after the stand-in

    return int(peer())


if __name__ == "__main__":
    sys.exit(main())
