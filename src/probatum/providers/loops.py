"""Waiting for coroutines from worker threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Any

from probatum.providers.expired import Expired


class Loops:
    """An event loop for each thread that waits."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._made: list[asyncio.AbstractEventLoop] = []

    def wait(self, found: Awaitable[Any], seconds: float) -> Any:
        """Return what is awaited.

        Raises:
            Expired: If it takes longer than `seconds`; it is cancelled then.
        """
        loop: asyncio.AbstractEventLoop | None = getattr(self._local, "loop", None)
        if loop is None:
            loop = self._local.loop = asyncio.new_event_loop()
            self._made.append(loop)
        return loop.run_until_complete(_within(found, seconds))

    def close(self) -> None:
        """Close all loops but those of calls that are still running."""
        for loop in self._made:
            if not loop.is_running():
                loop.close()


async def _within(found: Awaitable[Any], seconds: float) -> Any:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await found
    except TimeoutError:
        if limit.expired():
            raise Expired from None
        raise
