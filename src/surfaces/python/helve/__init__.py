"""Helve: bounded, safe, fast access to knowledge graphs and databases for language-model agents.

    import helve

    with helve.open("sample:") as session:
        reply = session.sparql_query("SELECT ?planet { ?planet a sol:TerrestrialPlanet }")
        print(reply)                     # compact text, as a model sees it
        print(reply.handle.rows())       # all rows, as values
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from helve._core import CancelToken, Source
from helve._core import version as __version__
from helve.errors import (
    Cancelled,
    Denied,
    HelveError,
    InternalError,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Unavailable,
)
from helve.handles import Handle
from helve.policy import SafetyPolicy
from helve.program import program_path
from helve.replies import Reply
from helve.sandbox import Sandbox
from helve.session import Session, connect, get_tools
from helve.session import open_session
from helve.terms import Term

open = open_session  # not in __all__: it must not hide the builtin by a star import

if TYPE_CHECKING:
    from helve import adapters, dspy, experiments, learning, memory, models, tasks, trajectory
    from helve.contexts import context
    from helve.experiments import experiment, replay
    from helve.learning import judge, learn, reflect
    from helve.memory import Memory

# What is loaded when it is first used, and where it is.
_MODULES = ("adapters", "dspy", "experiments", "learning", "memory", "models", "tasks", "trajectory")
_MEMBERS = {
    "Memory": "memory",
    "context": "contexts",
    "experiment": "experiments",
    "judge": "learning",
    "learn": "learning",
    "reflect": "learning",
    "replay": "experiments",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"helve.{name}")
    if name in _MEMBERS:
        return getattr(importlib.import_module(f"helve.{_MEMBERS[name]}"), name)
    raise AttributeError(f"module 'helve' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_MEMBERS})


__all__ = [
    "CancelToken",
    "Cancelled",
    "Denied",
    "Handle",
    "HelveError",
    "InternalError",
    "InvalidInput",
    "LimitExceeded",
    "Memory",
    "NotFound",
    "Reply",
    "SafetyPolicy",
    "Sandbox",
    "Session",
    "Source",
    "Term",
    "Unavailable",
    "__version__",
    "adapters",
    "connect",
    "context",
    "experiment",
    "experiments",
    "get_tools",
    "judge",
    "learn",
    "learning",
    "memory",
    "models",
    "program_path",
    "reflect",
    "replay",
    "tasks",
    "trajectory",
]
