"""SafetyPolicy: what calls may do. It holds around every call, whatever the tool."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

Names = Sequence[str] | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class SafetyPolicy:
    """A plain value; docs/policies.md explains each member. None allows all, an empty list nothing."""

    # Generated from the table of policy keys: see docs/policies.md.
    allowed_tools: Names = None
    allowed_sources: Names = None
    allowed_graphs: Names = None
    denied_graphs: Sequence[str] = ()
    allowed_tables: Names = None
    denied_tables: Sequence[str] = ()
    allowed_columns: Names = None
    denied_columns: Sequence[str] = ()
    allowed_functions: Sequence[str] = ()
    allowed_endpoints: Sequence[str] = ()
    denied_endpoints: Sequence[str] = ()
    allowed_paths: Sequence[str] = ()
    read_only: bool = True
    memory_writes: bool = True
    allow_ddl: bool = False
    require_confirmation: bool | str = "person"
    max_affected_rows: int = 1000
    max_affected_rows_per_session: int = 10000
    max_affected_rows_per_hour: int = 10000
    snapshot_rows: int = 100
    max_rows: int = 10000
    max_chars: int = 20000
    rows_stored_max: int = 1000000
    bytes_stored_max: int = 268435456
    timeout: float = 300
    memory_bytes_max: int = 4294967296
    audit: bool | str | None = None
    # End of the generated part.

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is None and field.default is not None:
                raise TypeError(f"{field.name} of a SafetyPolicy cannot be None: leave it out for its default")

    def to_json(self) -> str:
        """As Helve reads it: strictly, so that a wrong value is an error and never a default."""
        given = {name: value for name, value in _members(self) if value is not None}
        return json.dumps(given, default=os.fspath)


def _members(policy: SafetyPolicy) -> list[tuple[str, Any]]:
    members = []
    for field in dataclasses.fields(policy):
        value = getattr(policy, field.name)
        if isinstance(value, (tuple, set, frozenset)):
            value = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        members.append((field.name, value))
    return members


def policy_json(policy: SafetyPolicy | Mapping[str, Any] | str | None) -> str:
    """The JSON of a policy that was given as one, as a mapping, as JSON, or not at all."""
    if policy is None:
        return "{}"
    if isinstance(policy, SafetyPolicy):
        return policy.to_json()
    if isinstance(policy, Mapping):
        return json.dumps(dict(policy), default=os.fspath)
    if isinstance(policy, str):
        return policy
    raise TypeError(f"a policy is a SafetyPolicy, a mapping or the path of a file, not a {type(policy).__name__}")
