"""Helve: bounded, safe, fast access to knowledge graphs and databases for language-model agents.

    import helve

    with helve.open("sample:") as session:
        reply = session.sparql_query("SELECT ?planet { ?planet a sol:TerrestrialPlanet }")
        print(reply)                     # compact text, as a model sees it
        print(reply.handle.rows())       # all rows, as values
"""

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
from helve.session import open_session as open
from helve.terms import Term

__all__ = [
    "CancelToken",
    "Cancelled",
    "Denied",
    "Handle",
    "HelveError",
    "InternalError",
    "InvalidInput",
    "LimitExceeded",
    "NotFound",
    "Reply",
    "SafetyPolicy",
    "Sandbox",
    "Session",
    "Source",
    "Term",
    "Unavailable",
    "__version__",
    "connect",
    "get_tools",
    "open",
    "program_path",
]
