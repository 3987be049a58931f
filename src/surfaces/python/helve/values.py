"""Results of the program: dictionaries whose members are attributes too."""

from __future__ import annotations

from typing import Any

__all__ = ["Record"]


class Record(dict[str, Any]):
    """A dict with attribute access: `record.total` is `record["total"]`.

    Keys that are methods of dict (`items`, `keys`, ...) are read with brackets alone.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]
