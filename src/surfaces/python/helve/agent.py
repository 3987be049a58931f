"""ask: a question to a model that works with the tools, and an answer bound to what it rests on."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import os
import queue
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helve import _core
from helve._core import CancelToken
from helve.checks import check_cancel, check_names, check_text, check_time, path_text
from helve.errors import InvalidInput, error_of
from helve.models import normalise_answer
from helve.waiting import waited

if TYPE_CHECKING:
    from helve.session import Session

Provider = Callable[[dict[str, Any]], Any]  # takes a request; gives a text, a dict, or an awaitable of them
ModelLike = Provider | str | Mapping[str, str] | None

_SETTINGS = frozenset("provider model url key prices_file script record config_file".split())
_LIMITS = frozenset("steps_max tool_calls_max model_calls_max tokens_max cost_max time_max".split())


class Answer(dict):  # type: ignore[type-arg]
    """The answer as ``helve ask --json`` prints it; its members are attributes too.

    content, query, fields, structured_artifacts (the handles it rests on), bound, tools_used, usage, stop_reason
    ("submitted", "step_cap", "cancelled", ...), converged, iterations, notes, ms.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no '{name}'") from None

    def __str__(self) -> str:
        return str(self.get("content", ""))


@dataclasses.dataclass(frozen=True)
class Event:
    """What happens in a run: docs/agent.md has the kinds. The last one, "answer", has the answer."""

    kind: str
    step: int = 0
    name: str = ""  # of the tool
    text: str = ""
    ms: float = 0.0
    is_error: bool = False
    answer: Answer | None = None


def ask(session: Session, question: str, *, provider: ModelLike = None, model: str | None = None,
        url: str | None = None, key: str | None = None, script: str | os.PathLike[str] | None = None,
        record: str | os.PathLike[str] | None = None, model_config: str | os.PathLike[str] | None = None,
        sub_provider: ModelLike = None, loop: str = "react", signature: str | None = None, source: str | None = None,
        layers: str | Sequence[str] = "all", budget: str | int | Mapping[str, int] = "full", relevant: Sequence[str] = (), business: str = "",
        schema_summary: str = "", history: Sequence[tuple[str, str]] = (), limits: Mapping[str, Any] | None = None,
        trajectory_file: str | os.PathLike[str] | None = None, times: bool = True,
        on_event: Callable[[Event], None] | None = None, steering: Callable[[int], Any] | None = None,
        timeout: float | None = None, cancel: CancelToken | None = None,
        _loop: asyncio.AbstractEventLoop | None = None) -> Answer:
    """Asks, and waits for the answer. A run that a limit or a word ended is an answer (``stop_reason``); one that
    failed raises, with what there is as ``result`` and what the provider raised as the cause.

    ``provider`` is a function of yours that takes a request and gives an answer (docs/python.md), or the words of the
    command line ("chat", "anthropic", "chat:MODEL@URL") with ``model``, ``url`` and ``key`` ("env:NAME", never the key
    itself). Without one, the environment (HELVE_PROVIDER, HELVE_MODEL, ...) says which model is asked.
    ``limits``: steps_max, tool_calls_max, model_calls_max, tokens_max, cost_max, time_max (seconds).
    ``steering`` is asked before every step with its number: a text is put into the conversation, False ends the run.
    """
    words = {"model": model, "url": url, "key": key, "script": path_text(script), "record": path_text(record),
             "config_file": path_text(model_config)}
    caller = _Caller(check_cancel(cancel), _loop)
    function, settings = _provider(provider, words, caller)
    sub_function, sub_settings = _provider(sub_provider, {}, caller)
    check_names(limits or {}, _LIMITS, "limits")
    options = {
        "provider": function, "settings": settings, "sub_provider": sub_function, "sub_settings": sub_settings,
        "limits": dict(limits or {}), "loop": loop, "signature": signature, "source": source, "layers": _layers(layers),
        "budget": _budget(budget), "relevant": list(relevant), "business": business, "schema_summary": schema_summary,
        "history": [tuple(turn) for turn in history], "trajectory_file": path_text(trajectory_file), "has_times": times,
        "on_event": None if on_event is None else lambda *told: on_event(Event(*told)),
        "steering": None if steering is None else lambda step: _word(steering(step)),
    }
    told = _core.ask(session._core, check_text(question, "the question"), options, check_time(timeout), caller.cancel)
    answer = Answer(json.loads(told))
    if answer.get("stop_reason") == "failed":
        said: dict[str, str] = answer.get("error") or {}
        failure = error_of(said.get("code", "internal"), said.get("message", "the run failed"), said.get("hint", ""))
        failure.result = answer
        raise failure from caller.raised
    return answer


def _layers(layers: str | Sequence[str]) -> str:
    return layers if isinstance(layers, str) else ",".join(layers)


def _budget(budget: str | int | Mapping[str, int]) -> str:
    if isinstance(budget, Mapping):
        return ",".join(f"{name}={chars}" for name, chars in budget.items())
    return str(budget)


def _provider(provider: ModelLike, words: Mapping[str, str | None], caller: _Caller) -> tuple[Any, dict[str, str]]:
    """The function to be called, or the settings of the model to be asked."""
    given = {name: value for name, value in words.items() if value is not None}
    if isinstance(provider, Mapping):
        check_names(provider, _SETTINGS, "provider")
        return None, {**provider, **given}
    if isinstance(provider, str):
        return None, {"provider": provider, **given}
    if provider is None:
        return None, given
    if not callable(provider):
        raise TypeError("provider is a function, the words of the command line, or a mapping of settings")
    return caller.function(provider), given


class _Caller:
    """Calls providers of a run, and keeps what one raised."""

    def __init__(self, cancel: CancelToken, loop: asyncio.AbstractEventLoop | None) -> None:
        self.cancel = cancel
        self.raised: Exception | None = None
        self._loop = loop

    def function(self, provider: Provider) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def call(request: dict[str, Any]) -> dict[str, Any]:
            try:
                return self._answer(provider, request)
            except Exception as failure:
                self.raised = failure
                raise

        return call

    def _answer(self, provider: Provider, request: dict[str, Any]) -> dict[str, Any]:
        for tool in request["tools"]:
            tool["input_schema"] = json.loads(tool["input_schema"])
        for message in request["messages"]:
            for one in message["calls"]:
                one["arguments"] = _loads(one["arguments"])
        answer = normalise_answer(waited(provider(request), self.cancel, self._loop))
        for one in answer["calls"]:
            one["arguments"] = json.dumps(one["arguments"])
        return answer


def _loads(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments  # as the model wrote them


def _word(word: Any) -> tuple[bool, str]:
    """What steering answered: whether to stop, and what to say."""
    if word is None or word is True:
        return False, ""
    return (True, "") if word is False else (False, str(word))


class AskStream:
    """Events of a run as they come: ``for event in stream`` or ``async for event in stream``, once.

    The run begins with the iteration, on a thread of its own, and is cancelled when the iteration ends early.
    ``answer`` is there when it has ended; errors that ask() raises are raised by the iteration.
    """

    def __init__(self, session: Session, question: str, options: Mapping[str, Any]) -> None:
        self.answer: Answer | None = None
        inspect.signature(ask).bind(session, question, **options)  # a misspelt option is told of now
        self._session = session
        self._question = question
        self._options = dict(options)
        self._cancel = check_cancel(self._options.pop("cancel", None))
        self._listener: Callable[[Event], None] | None = self._options.pop("on_event", None)
        self._thread: threading.Thread | None = None
        self._has_ended = False

    def cancel(self) -> None:
        """Ends the run; its answer is what there is until then."""
        self._cancel.cancel()

    def __iter__(self) -> Iterator[Event]:
        told: queue.SimpleQueue[Event | BaseException | None] = queue.SimpleQueue()
        thread = self._start(told.put)
        try:
            while (item := told.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._end()
            thread.join()

    async def __aiter__(self) -> AsyncIterator[Event]:
        loop = asyncio.get_running_loop()
        told: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()

        def put(item: Event | BaseException | None) -> None:
            try:
                loop.call_soon_threadsafe(told.put_nowait, item)
            except RuntimeError:  # the loop is closed, and nobody waits
                self._cancel.cancel()

        self._options["_loop"] = loop  # async providers run where their caller does
        self._start(put)
        try:
            while (item := await told.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._end()

    def _end(self) -> None:
        if not self._has_ended:  # the token may be the caller's: it is left alone where all is over
            self._cancel.cancel()

    def _start(self, put: Callable[[Event | BaseException | None], None]) -> threading.Thread:
        if self._thread is not None:
            raise InvalidInput("the events of a run come once", "call ask_stream() again for another run")
        self._thread = threading.Thread(target=self._run, args=(put,), name="helve-ask")
        _running.add(self)
        self._thread.start()
        return self._thread

    def _run(self, put: Callable[[Event | BaseException | None], None]) -> None:
        def tell(event: Event) -> None:
            if self._listener is not None:
                self._listener(event)
            put(event)

        try:
            self.answer = ask(self._session, self._question, on_event=tell, cancel=self._cancel, **self._options)
            put(Event("answer", text=str(self.answer), answer=self.answer))
        except BaseException as failure:  # noqa: BLE001 - raised where the events are read
            put(failure)
        finally:
            self._has_ended = True
            put(None)


_running: weakref.WeakSet[AskStream] = weakref.WeakSet()


def _cancel_all() -> None:
    """A program that ends does not wait for runs of many minutes: their threads are joined after this."""
    for stream in list(_running):
        stream.cancel()


if hasattr(threading, "_register_atexit"):  # what threads of concurrent.futures end by
    threading._register_atexit(_cancel_all)
