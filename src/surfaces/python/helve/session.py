"""Session: the tools on some sources, and the results that they keep."""

from __future__ import annotations

import builtins
import difflib
import json
import os
import re
import tomllib
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helve import _core
from helve._core import CancelToken, Source
from helve.checks import check_cancel, check_names, check_text, check_time, path_text
from helve.errors import InvalidInput, LimitExceeded, NotFound
from helve.functions import ToolFunction, ToolTemplate, arguments_json
from helve.handles import Handle
from helve.policy import SafetyPolicy, policy_json
from helve.program import worker_program
from helve.replies import Reply, reply_of

if TYPE_CHECKING:
    from helve.agent import Answer, AskStream
    from helve.tools import ToolMethods
else:
    ToolMethods = object  # they are made of the registry: Session.tools

SourceLike = str | os.PathLike[str] | Source | Sequence[str | os.PathLike[str]] | Mapping[str, Any]
PolicyLike = SafetyPolicy | Mapping[str, Any] | str | os.PathLike[str] | None

_NAMED = re.compile(r"([A-Za-z0-9._-]{1,64})=(.+)", re.DOTALL)


def connect(uri: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, name: str = "", lenient: bool = False,
            timeout: float | None = None, writable: bool = False, endpoint: Mapping[str, Any] | None = None,
            cancel: CancelToken | None = None) -> Source:
    """Opens a graph or a database.

    ``uri`` is a file of RDF (plain, gzip, zstd, bzip2), several of them as one graph, an index folder of ``helve load``,
    ``sample:`` or ``sample-tables:``, ``sqlite:PATH``, ``postgresql://USER@HOST/DB``, ``mysql://USER@HOST/DB`` (passwords
    are named, never written: ``?password=env:NAME``), or the address of a SPARQL endpoint. ``endpoint``: how one is
    asked, by the names of EndpointAccess in the C++ interface (user, password="env:NAME", bearer, retries, ...).
    """
    uris = [_uri(one) for one in (uri if isinstance(uri, (list, tuple)) else [uri])]
    if not uris:
        raise InvalidInput("there is no file in the list", "name one at least")
    check_names(endpoint or {}, _ENDPOINT_NAMES, "endpoint")
    return _core.connect(uris, name=check_text(name, "the name of a source"), is_lenient=lenient,
                         timeout=check_time(timeout), cancel=check_cancel(cancel),
                         worker_program=worker_program(), is_writable=writable, endpoint=dict(endpoint or {}))


def _uri(uri: Any) -> str:
    path = os.fspath(uri) if isinstance(uri, os.PathLike) else uri
    if not isinstance(path, str):
        raise TypeError(f"a source is a path, an address, a list of files, a mapping of names to them, or what connect() "
                        f"gave, not a {type(uri).__name__}")
    return check_text(path, "the address of a source")


_ENDPOINT_NAMES = frozenset(
    "user password bearer header header_value ca_file proxy is_get void_place allows_private connect_timeout "
    "first_byte_timeout pause requests_at_once retries profile_folder".split())


def open_session(*sources: SourceLike, policy: PolicyLike = None, bank: str | os.PathLike[str] | None = None,
                 session_folder: str | os.PathLike[str] | None = None, identity: str = "local", session: str = "default",
                 audit_file: str | os.PathLike[str] | None = None, audit_key: str = "", audit_fingerprints: bool = False,
                 trust_judgments: bool = False, mark_data: bool = True, many_sessions: bool = False,
                 secret_handles: bool = False, session_memory_bytes_max: int | None = None,
                 lock_timeout: float | None = None, writable: bool | None = None,
                 confirm: Callable[[str], bool] | None = None) -> Session:
    """Opens sources and gives the tools on them: ``with helve.open("data.ttl") as session: ...``

    A source is whatever connect() takes, ``"NAME=URI"``, ``{"NAME": uri}``, a list of files that make one graph, or what
    connect() gave. ``policy`` is a SafetyPolicy, a mapping of its members, or the path of a policy file. ``bank`` is a
    memory bank: with one, the tools of the memory are there. ``session_folder`` keeps results beyond this process.
    ``mark_data`` puts what comes from sources between marks in texts, which is for models; structured forms have none.
    ``writable`` opens databases for changes; None: where the policy is not read_only. ``confirm`` asks a person about a
    change, which its argument describes: only True applies it. Without it changes are refused, unless the policy has
    ``require_confirmation`` "two_step" or False.
    """
    if confirm is not None and not callable(confirm):
        raise TypeError(f"confirm is a function that asks a person, not a {type(confirm).__name__}")
    of_file = isinstance(policy, (str, os.PathLike))
    rules = "{}" if of_file else policy_json(policy)  # type: ignore[arg-type]
    is_writable = writable
    if is_writable is None:
        is_writable = _lets_write(policy) if of_file else json.loads(rules).get("read_only") is False
    opened = [one for given in sources for one in _open_source(given, is_writable)]
    options = {
        "policy_file": os.fspath(policy) if of_file else None,  # type: ignore[arg-type]
        "bank": path_text(bank), "session_folder": path_text(session_folder), "identity": identity, "session": session,
        "audit_file": path_text(audit_file), "audit_key": audit_key, "audit_fingerprints": audit_fingerprints,
        "trusts_judgments": trust_judgments, "marks_data": mark_data, "has_many_sessions": many_sessions,
        "has_secret_handles": secret_handles, "session_memory_bytes_max": session_memory_bytes_max,
        "lock_timeout": lock_timeout, "worker_program": worker_program(), "confirm": confirm,
    }
    return Session(_core.get_tools(opened, rules, options), opened)


def _lets_write(path: Any) -> bool:
    """Whether a policy file lets anybody change something. One that cannot be read is told of when it is opened."""
    try:
        with builtins.open(path, "rb") as file:
            content = tomllib.load(file) if os.fspath(path).endswith(".toml") else json.load(file)
    except (OSError, ValueError):
        return False
    found = [content]
    while found:
        one = found.pop()
        if isinstance(one, dict):
            if one.get("read_only") is False:
                return True
            found += one.values()
        elif isinstance(one, list):
            found += one
    return False


def _open_source(given: SourceLike, writable: bool) -> list[Source]:
    if isinstance(given, Source):
        return [given]
    if isinstance(given, Mapping):
        return [connect(uri, name=check_text(name, "the name of a source"), writable=writable)
                for name, uri in given.items()]
    if isinstance(given, str) and (named := _NAMED.fullmatch(given)):
        return [connect(named[2], name=named[1], writable=writable)]
    return [connect(given, writable=writable)]


def _params(params: Any) -> list[Any]:
    if isinstance(params, (str, bytes, Mapping)) or not isinstance(params, Iterable):
        raise TypeError(f"params is a list of values, in the order of the placeholders, not a {type(params).__name__}")
    values = list(params)
    for value in values:
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise InvalidInput(f"the parameter {value} has more than 64 bits", "databases would round it: give a text")
    return values


class Tools(Mapping[str, ToolFunction]):
    """The tools that the policy allows, by name: functions with signatures, types and documents.

    They keep the session, and it does not keep them: a session ends when neither is used any more.
    """

    def __init__(self, session: Session, templates: Mapping[str, ToolTemplate]) -> None:
        self._session = session
        self._templates = templates

    def __getitem__(self, name: str) -> ToolFunction:
        return self._templates[name].bind(self._session)

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)

    def __getattr__(self, name: str) -> ToolFunction:
        try:
            return self.__dict__["_templates"][name].bind(self._session)
        except KeyError:
            raise AttributeError(f"there is no tool named '{name}'") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._templates]

    def __repr__(self) -> str:
        return f"Tools({', '.join(self._templates)})"


class Session(ToolMethods):
    """Tools on some sources, for one caller. Every tool is a function of it: ``session.sparql_query("SELECT ...")``.

    Thread-safe: several threads may use one at once, and none waits for another. After fork() a child must open its
    own. Close it, or use it in a ``with`` statement; what is not closed is closed when the program ends.
    """

    def __init__(self, core: _core.Tools, sources: Sequence[Source] = ()) -> None:
        if not isinstance(core, _core.Tools):
            raise TypeError("a session is made by helve.open(...)")
        self._core = core
        self._sources = list(sources)
        self._running: set[CancelToken] = set()
        self._close = weakref.finalize(self, _core.Tools.close, core)
        self.shapes: dict[str, dict[str, Any]] = {name: core.shape(name) for name in core.names()}
        self._templates = {name: ToolTemplate(shape) for name, shape in self.shapes.items()}

    @property
    def tools(self) -> Tools:
        """The tools that the policy allows: a mapping of names to functions."""
        return Tools(self, self._templates)

    # Calls

    def call(self, tool: str, /, *args: Any, **kwargs: Any) -> Reply:
        """Calls a tool by its name. What goes wrong is a reply that tells it; ``check()`` of that raises."""
        template = self._templates.get(tool)
        if template is not None:
            return template.bind(self)(*args, **kwargs)
        return self.call_with(tool, kwargs)  # whose reply says that there is none

    def call_with(self, tool: str, arguments: Mapping[str, Any] | str | None = None, *, timeout: float | None = None,
                  cancel: CancelToken | None = None) -> Reply:
        """Calls a tool with a mapping of arguments, or with their JSON as a model wrote it."""
        if isinstance(arguments, str):  # of a model: its half characters are its own
            text = arguments.encode(errors="replace").decode()
        elif arguments is None or isinstance(arguments, Mapping):
            given = arguments or {}
            self._check_handles(given)
            text = check_text(arguments_json(given), "an argument")
        else:
            raise TypeError(f"arguments are a mapping or JSON, not a {type(arguments).__name__}")
        if not isinstance(tool, str):
            raise TypeError(f"a tool is named by a text, not by a {type(tool).__name__}")
        name = tool.encode(errors="replace").decode()
        token = check_cancel(cancel)
        if cancel is None:  # close() ends the call
            self._running.add(token)
        try:
            return reply_of(self, self._core.call(name, text, check_time(timeout), token))
        finally:
            self._running.discard(token)

    def _check_handles(self, arguments: Mapping[str, Any]) -> None:
        for value in arguments.values():
            handle = value.handle if isinstance(value, Reply) else value
            if isinstance(handle, Handle) and handle.session is not self:
                raise InvalidInput(f"{handle.key} is a handle of another session",
                                   "its rows() can be read there; what it was made of can be asked here")

    def query(self, sparql: str, *, source: str | None = None, timeout: float | None = None, validate: bool = True,
              diagnose: bool = True, partial: bool = False, cancel: CancelToken | None = None) -> Handle:
        """Asks a graph, SELECT, CONSTRUCT or DESCRIBE: a Handle of the rows or triples. Raises what goes wrong.

        A result that is not complete (the time was over, or the policy stores no more) raises LimitExceeded, whose
        ``result`` is the handle of what there is; ``partial=True`` gives it as it is. ``validate`` refuses what cannot
        end in time, ``diagnose`` finds out why there are no rows: ``handle.diagnosis``. For ASK: boolean().
        """
        arguments = {"query": check_text(sparql, "a query"), "source": source, "timeout": check_time(timeout),
                     "validate": validate, "diagnose": diagnose, "store_pattern": False}
        return self._stored("sparql_query", arguments, partial, cancel)

    def boolean(self, sparql: str, *, source: str | None = None, timeout: float | None = None,
                cancel: CancelToken | None = None) -> bool:
        """Asks a graph a question of yes and no: ASK. Raises what goes wrong."""
        arguments = {"query": check_text(sparql, "a query"), "source": source, "timeout": check_time(timeout),
                     "diagnose": False, "store_pattern": False}
        reply = self._answered("sparql_query", arguments, cancel)
        if "boolean" not in reply:
            raise InvalidInput("the query has rows, and no yes or no", "write ASK { ... }, or use query()")
        return bool(reply["boolean"])

    def sql(self, sql: str, params: Sequence[Any] | None = None, *, source: str | None = None,
            timeout: float | None = None, partial: bool = False, cancel: CancelToken | None = None) -> Handle:
        """Asks a SQL database; ``params`` are the values of its placeholders, in order. Raises as query() does."""
        arguments = {"sql": check_text(sql, "a query"), "params": None if params is None else _params(params),
                     "source": source, "timeout": check_time(timeout)}
        return self._stored("query_execute", arguments, partial, cancel)

    def handle(self, key: str) -> Handle:
        """The handle of a key, such as results_0."""
        return Handle(self, key)

    def _answered(self, tool: str, arguments: dict[str, Any], cancel: CancelToken | None) -> Reply:
        given = {name: value for name, value in arguments.items() if value is not None}
        return self.call_with(tool, {**given, "limit": 1}, cancel=cancel).check()

    def _stored(self, tool: str, arguments: dict[str, Any], partial: bool, cancel: CancelToken | None) -> Handle:
        reply = self._answered(tool, arguments, cancel)
        handle = reply.handle
        if handle is None:
            raise InvalidInput("the query has no rows to keep", "boolean() is for ASK")
        if not handle.complete and not partial:
            why = next((one for one in handle.warnings if "complete" in one), "the result is not complete")
            failure = LimitExceeded(why, "partial=True takes what there is; a policy and timeout= may allow more")
            failure.result = handle
            raise failure
        return handle

    def read_page(self, key: str, offset: int, limit: int, columns: list[str],
                  terms: bool) -> tuple[list[str], list[tuple[Any, ...]], int | None, int, list[str]]:
        """One page of a handle: columns, rows, where the next begins, rows that are stored, warnings."""
        return self._core.page(key, offset, limit, columns, terms, None, CancelToken())

    # What there is

    def input_schema(self, tool: str) -> dict[str, Any]:
        """JSON Schema of what a tool takes."""
        return json.loads(self._core.input_schema(tool))

    def output_schema(self, tool: str) -> dict[str, Any]:
        """JSON Schema of what a tool gives."""
        return json.loads(self._core.output_schema(tool))

    @property
    def sources(self) -> list[str]:
        """The names of the sources."""
        return self._core.source_names()

    def leakage(self) -> dict[str, Any]:
        """How many characters went into replies, and how many stayed behind handles, by tool and in total."""
        return self._core.leakage()

    def as_caller(self, identity: str, session: str = "default",
                  policy: SafetyPolicy | Mapping[str, Any] | None = None) -> Session:
        """The same tools for another caller or with another policy; None: that of the policy file."""
        rules = None if policy is None else policy_json(policy)
        return Session(self._core.as_caller(identity, session, rules), self._sources)

    # For frameworks: helve.adapters has the documents.

    def as_dspy_tools(self, names: Iterable[str] | str | None = None, **options: Any) -> Any:
        """Tools for DSPy: a list, or the older mapping with legacy=True. See helve.adapters.as_dspy_tools."""
        from helve import adapters

        return adapters.as_dspy_tools(self, names, **options)

    def as_openai_tools(self, names: Iterable[str] | str | None = None, **options: Any) -> list[dict[str, Any]]:
        """Tools for the APIs of OpenAI. See helve.adapters.as_openai_tools."""
        from helve import adapters

        return adapters.as_openai_tools(self, names, **options)

    def call_openai_tool(self, call: Any, **options: Any) -> dict[str, Any]:
        """Makes a tool call of those APIs, and gives the message that answers it."""
        from helve import adapters

        return adapters.call_openai_tool(self, call, **options)

    def as_anthropic_tools(self, names: Iterable[str] | str | None = None, **options: Any) -> list[dict[str, Any]]:
        """Tools for the Messages API of Anthropic. See helve.adapters.as_anthropic_tools."""
        from helve import adapters

        return adapters.as_anthropic_tools(self, names, **options)

    def call_anthropic_tool(self, block: Any, **options: Any) -> dict[str, Any]:
        """Makes the call of a tool_use block, and gives the tool_result block that answers it."""
        from helve import adapters

        return adapters.call_anthropic_tool(self, block, **options)

    def as_langchain_tools(self, names: Iterable[str] | str | None = None, **options: Any) -> list[Any]:
        """Tools for LangChain. See helve.adapters.as_langchain_tools."""
        from helve import adapters

        return adapters.as_langchain_tools(self, names, **options)

    # The agent: helve.agent has the documents.

    def ask(self, question: str, **options: Any) -> Answer:
        """A question to a model that works with the tools. See helve.agent.ask for the options."""
        from helve import agent

        return agent.ask(self, question, **options)

    def ask_stream(self, question: str, **options: Any) -> AskStream:
        """The same as events, for ``for`` and for ``async for``; the last one has the answer."""
        from helve import agent

        return agent.AskStream(self, question, options)

    # Life

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._core.is_open

    def close(self) -> None:
        """Ends the session, and calls of other threads that run. Its handles are gone unless it has a folder."""
        for token in list(self._running):
            token.cancel()
        self._close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    if not TYPE_CHECKING:  # type checkers know the tools: ToolMethods

        def __getattr__(self, name: str) -> ToolFunction:
            templates = self.__dict__.get("_templates", {})
            if name in templates:
                return templates[name].bind(self)
            near = difflib.get_close_matches(name, [*templates, *type(self).__dict__], 3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise AttributeError(f"a session has no '{name}', and no tool of that name that its policy allows{hint}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._templates]

    def __repr__(self) -> str:
        return f"Session({', '.join(self.sources)})" if self.is_open else "Session(closed)"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a session cannot be copied or pickled: open another one where it is needed")


class ToolList(list[ToolFunction]):
    """Functions of tools, and the session that they belong to."""

    session: Session


def get_tools(source: SourceLike | Session, safety: SafetyPolicy | Mapping[str, Any] | None = None,
              names: Iterable[str] | str | None = None, **options: Any) -> ToolList:
    """The tools on a source as a list of functions, in one line: for agents that take functions.

    ``names`` leaves out others. The list keeps the session alive: ``tools.session``.
    """
    if isinstance(source, Session):
        if safety is not None or options:
            raise TypeError("an open session has its policy: use session.as_caller(..., policy=...)")
        session = source
    else:
        session = open_session(source, policy=safety, **options)
    chosen = list(session.tools) if names is None else [names] if isinstance(names, str) else list(names)
    unknown = [name for name in chosen if name not in session.tools]
    if unknown:
        raise NotFound(f"there is no tool named '{unknown[0]}', or the policy does not allow it",
                       f"there are {', '.join(session.tools)}")
    tools = ToolList(session.tools[name] for name in chosen)
    tools.session = session
    return tools
