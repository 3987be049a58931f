"""Session: the tools on some sources, and the results that they keep."""

from __future__ import annotations

import json
import os
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helve import _core
from helve._core import CancelToken, Source
from helve.errors import InvalidInput, NotFound
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
    uris = [os.fspath(uri)] if isinstance(uri, (str, os.PathLike)) else [os.fspath(one) for one in uri]
    if not uris:
        raise InvalidInput("there is no file in the list", "name one at least")
    _check_names(endpoint or {}, _ENDPOINT_NAMES, "endpoint")
    return _core.connect(uris, name=name, is_lenient=lenient, timeout=timeout, cancel=cancel or CancelToken(),
                         worker_program=worker_program(), is_writable=writable, endpoint=dict(endpoint or {}))


_ENDPOINT_NAMES = frozenset(
    "user password bearer header header_value ca_file proxy is_get void_place allows_private connect_timeout "
    "first_byte_timeout pause requests_at_once retries profile_folder".split())


def _check_names(given: Iterable[str], known: frozenset[str], what: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise TypeError(f"{what} has no '{unknown[0]}'; it has {', '.join(sorted(known))}")


def open_session(*sources: SourceLike, policy: PolicyLike = None, bank: str | os.PathLike[str] | None = None,
                 session_folder: str | os.PathLike[str] | None = None, identity: str = "local", session: str = "default",
                 audit_file: str | os.PathLike[str] | None = None, audit_key: str = "", audit_fingerprints: bool = False,
                 trust_judgments: bool = False, mark_data: bool = True, many_sessions: bool = False,
                 secret_handles: bool = False, session_memory_bytes_max: int | None = None,
                 lock_timeout: float | None = None, writable: bool | None = None) -> Session:
    """Opens sources and gives the tools on them: ``with helve.open("data.ttl") as session: ...``

    A source is whatever connect() takes, ``"NAME=URI"``, ``{"NAME": uri}``, a list of files that make one graph, or what
    connect() gave. ``policy`` is a SafetyPolicy, a mapping of its members, or the path of a policy file. ``bank`` is a
    memory bank: with one, the tools of the memory are there. ``session_folder`` keeps results beyond this process.
    ``mark_data`` puts what comes from sources between marks in texts, which is for models; structured forms have none.
    ``writable`` opens databases for changes; None: where the policy is not read_only.
    """
    of_file = isinstance(policy, (str, os.PathLike))
    rules = "{}" if of_file else policy_json(policy)  # type: ignore[arg-type]
    is_writable = writable if writable is not None else json.loads(rules).get("read_only") is False
    opened = [one for given in sources for one in _open_source(given, is_writable)]
    options = {
        "policy_file": os.fspath(policy) if of_file else None,  # type: ignore[arg-type]
        "bank": _path(bank), "session_folder": _path(session_folder), "identity": identity, "session": session,
        "audit_file": _path(audit_file), "audit_key": audit_key, "audit_fingerprints": audit_fingerprints,
        "trusts_judgments": trust_judgments, "marks_data": mark_data, "has_many_sessions": many_sessions,
        "has_secret_handles": secret_handles, "session_memory_bytes_max": session_memory_bytes_max,
        "lock_timeout": lock_timeout, "worker_program": worker_program(),
    }
    return Session(_core.get_tools(opened, rules, options), opened)


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def _open_source(given: SourceLike, writable: bool) -> list[Source]:
    if isinstance(given, Source):
        return [given]
    if isinstance(given, Mapping):
        return [connect(uri, name=name, writable=writable) for name, uri in given.items()]
    if isinstance(given, str) and (named := _NAMED.fullmatch(given)):
        return [connect(named[2], name=named[1], writable=writable)]
    return [connect(given, writable=writable)]


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
        self._core = core
        self._sources = list(sources)
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
        return self.call_with(tool, kwargs if not args else {"arguments": list(args), **kwargs})

    def call_with(self, tool: str, arguments: Mapping[str, Any] | str | None = None, *, timeout: float | None = None,
                  cancel: CancelToken | None = None) -> Reply:
        """Calls a tool with a mapping of arguments, or with their JSON as a model wrote it."""
        text = arguments if isinstance(arguments, str) else arguments_json(arguments or {})
        return reply_of(self, self._core.call(tool, text, timeout, cancel or CancelToken()))

    def query(self, sparql: str, *, source: str | None = None, timeout: float | None = None, validate: bool = True,
              cancel: CancelToken | None = None) -> Handle | bool:
        """Asks a graph: a Handle of the rows or triples, or a bool for ASK. Raises what goes wrong.

        ``validate`` refuses what cannot end in time. Why there are no rows, the tool tells: sparql_query.
        """
        return self._stored("sparql_query", {"query": sparql, "source": source, "timeout": timeout,
                                             "validate": validate, "diagnose": False, "store_pattern": False}, cancel)

    def sql(self, sql: str, params: Sequence[Any] | None = None, *, source: str | None = None,
            timeout: float | None = None, cancel: CancelToken | None = None) -> Handle | bool:
        """Asks a SQL database. Raises what goes wrong."""
        return self._stored("query_execute", {"sql": sql, "params": None if params is None else list(params),
                                              "source": source, "timeout": timeout}, cancel)

    def handle(self, key: str) -> Handle:
        """The handle of a key, such as results_0."""
        return Handle(self, key)

    def _stored(self, tool: str, arguments: dict[str, Any], cancel: CancelToken | None) -> Handle | bool:
        given = {name: value for name, value in arguments.items() if value is not None}
        reply = self.call_with(tool, {**given, "limit": 1}, cancel=cancel).check()
        if "boolean" in reply:
            return bool(reply["boolean"])
        if reply.handle is None:
            raise InvalidInput("the query has no rows to keep", "use the tool itself")
        return reply.handle

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

    def as_dspy_tools(self, names: Iterable[str] | None = None, **options: Any) -> Any:
        """Tools for DSPy: a list, or the older mapping with legacy=True. See helve.adapters.as_dspy_tools."""
        from helve import adapters

        return adapters.as_dspy_tools(self, names, **options)

    def as_openai_tools(self, names: Iterable[str] | None = None, **options: Any) -> list[dict[str, Any]]:
        """Tools for the APIs of OpenAI. See helve.adapters.as_openai_tools."""
        from helve import adapters

        return adapters.as_openai_tools(self, names, **options)

    def call_openai_tool(self, call: Any, **options: Any) -> dict[str, Any]:
        """Makes a tool call of those APIs, and gives the message that answers it."""
        from helve import adapters

        return adapters.call_openai_tool(self, call, **options)

    def as_anthropic_tools(self, names: Iterable[str] | None = None, **options: Any) -> list[dict[str, Any]]:
        """Tools for the Messages API of Anthropic. See helve.adapters.as_anthropic_tools."""
        from helve import adapters

        return adapters.as_anthropic_tools(self, names, **options)

    def call_anthropic_tool(self, block: Any, **options: Any) -> dict[str, Any]:
        """Makes the call of a tool_use block, and gives the tool_result block that answers it."""
        from helve import adapters

        return adapters.call_anthropic_tool(self, block, **options)

    def as_langchain_tools(self, names: Iterable[str] | None = None, **options: Any) -> list[Any]:
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
        """Ends the session; calls of other threads that run still end. Its handles are gone unless it has a folder."""
        self._close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> ToolFunction:
        template = self.__dict__.get("_templates", {}).get(name)
        if template is not None:
            return template.bind(self)
        raise AttributeError(f"a session has no '{name}', and there is no tool of that name")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._templates]

    def __repr__(self) -> str:
        state = "" if self.is_open else " (closed)"
        return f"Session({', '.join(self.sources) if self.is_open else ''}{state})"


class ToolList(list[ToolFunction]):
    """Functions of tools, and the session that they belong to."""

    session: Session


def get_tools(source: SourceLike | Session, safety: SafetyPolicy | Mapping[str, Any] | None = None,
              names: Iterable[str] | None = None, **options: Any) -> ToolList:
    """The tools on a source as a list of functions, in one line: for agents that take functions.

    ``names`` leaves out others. The list keeps the session alive: ``tools.session``.
    """
    session = source if isinstance(source, Session) else open_session(source, policy=safety, **options)
    chosen = list(session.tools) if names is None else list(names)
    unknown = [name for name in chosen if name not in session.tools]
    if unknown:
        raise NotFound(f"there is no tool named '{unknown[0]}', or the policy does not allow it",
                       f"there are {', '.join(session.tools)}")
    tools = ToolList(session.tools[name] for name in chosen)
    tools.session = session
    return tools
