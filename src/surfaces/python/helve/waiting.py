"""Waits for what functions of the program answer, where they are async."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from typing import Any

from helve._core import CancelToken
from helve.errors import Cancelled, InvalidInput

_LOOK_SECONDS = 0.05  # how often the token is looked at


def waited(answer: Any, cancel: CancelToken | None = None, loop: asyncio.AbstractEventLoop | None = None) -> Any:
    """The answer itself, or what it becomes: on the given loop of another thread, or on one of its own.

    A token that is cancelled cancels the awaitable.
    """
    if not inspect.isawaitable(answer):
        return answer
    if loop is not None:
        return asyncio.run_coroutine_threadsafe(_followed(answer, cancel), loop).result()
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(_followed(answer, cancel))
    if inspect.iscoroutine(answer):
        answer.close()
    raise InvalidInput("what is async cannot be waited for inside of a running event loop",
                       "use 'async for event in session.ask_stream(...)', or call from another thread")


def _run(answer: Any) -> Any:
    # Not asyncio.run(): that takes Ctrl-C for itself.
    own = asyncio.new_event_loop()
    try:
        return own.run_until_complete(answer)
    finally:
        own.run_until_complete(own.shutdown_asyncgens())
        own.close()


async def _followed(answer: Awaitable[Any], cancel: CancelToken | None) -> Any:
    task = asyncio.ensure_future(answer)
    while not task.done():
        await asyncio.wait({task}, timeout=None if cancel is None else _LOOK_SECONDS)
        if cancel is not None and cancel.is_cancelled and not task.done():
            task.cancel()
            await asyncio.wait({task})
    if task.cancelled():
        raise Cancelled("the run was cancelled")
    return task.result()
