"""Handle: a result that is stored; rows leave it page by page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from helve.checks import check_count, check_text
from helve.terms import Term

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from helve.session import Session

PAGE_ROWS = 1_000  # what one call gives at most
_HTML_ROWS = 20
_REF = re.compile(r"Ref\('[^']*', '([^']*)'")


class Handle:
    """Rows behind a key. They live as long as the session, which must not be closed before.

    A cell is a str, an int, a float, a bool or None: numbers and booleans of XSD as such (decimals as the nearest
    float), IRIs and all other literals as their text. ``terms=True`` gives Terms, which are exact.
    """

    def __init__(self, session: Session, key: str, facts: dict[str, Any] | None = None,
                 complete: bool = True) -> None:
        facts = facts or {}
        self.session = session
        self.key = check_text(key, "the key of a handle")
        self.complete = complete  # False: not all rows were found or stored; `warnings` say why
        self.warnings: list[str] = list(facts.get("warnings", ()))
        self.diagnosis: dict[str, Any] | None = facts.get("diagnosis")  # why there are no rows
        self.source: str = facts.get("source", "")
        self._columns: list[str] | None = facts.get("columns")
        self._length: int | None = facts.get("rows") if isinstance(facts.get("rows"), int) else None
        told = _REF.match(str(facts.get("ref", "")))
        self._dtype: str | None = told[1] if told else None
        self._rows_key: str | None = None  # whose rows are read: of a graph, those of a query on it

    @property
    def dtype(self) -> str:
        """What is behind it: "results" (rows), "graph" (triples, which are read as rows too), ..."""
        if self._dtype is None:
            self._dtype = str(self.session.call("sparql_stats", self.key).check().get("dtype", ""))
        return self._dtype

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        if self._columns is None:
            self._read(0, 1, None, False)
        return list(self._columns or [])

    def __len__(self) -> int:
        if self._length is None:
            self._read(0, 1, None, False)
        return self._length or 0

    def __bool__(self) -> bool:
        return True  # a result without rows is a result

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts, read page by page."""
        for page in self.pages():
            yield from page

    def pages(self, size: int = PAGE_ROWS, *, terms: bool = False) -> Iterator[list[dict[str, Any]]]:
        """Lists of ``size`` rows; the last one may have fewer."""
        size = check_count(size, "the size of a page", 1)
        page: list[dict[str, Any]] = []
        for names, rows in self._pages(0, None, min(size, PAGE_ROWS), None, terms):
            page += [dict(zip(names, row)) for row in rows]
            while len(page) >= size:
                yield page[:size]
                page = page[size:]
        if page:
            yield page

    def rows(self, offset: int = 0, limit: int | None = None, *, columns: list[str] | None = None,
             terms: bool = False) -> list[dict[str, Any]]:
        """Rows as dicts by the names of their columns: ``limit`` of them from ``offset`` on, or all that are left."""
        return [dict(zip(names, row))
                for names, rows in self._pages(offset, limit, PAGE_ROWS, columns, terms) for row in rows]

    def tuples(self, offset: int = 0, limit: int | None = None, *, columns: list[str] | None = None,
               terms: bool = False) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples, read page by page: the quickest way through a large result."""
        for _, rows in self._pages(offset, limit, PAGE_ROWS, columns, terms):
            yield from rows

    def to_pandas(self, *, columns: list[str] | None = None) -> pandas.DataFrame:
        """All rows as a DataFrame; needs pandas."""
        pandas = _need("pandas", "pandas")
        names, lists = self._by_column(columns)
        cells = [_pandas_column(pandas, column) for column in lists]
        return pandas.DataFrame(dict(zip(names, cells)), columns=names)

    def to_arrow(self, *, columns: list[str] | None = None) -> pyarrow.Table:
        """All rows as a Table; needs pyarrow. A column of values of several types becomes one of texts."""
        pyarrow = _need("pyarrow", "arrow")
        names, lists = self._by_column(columns)
        return pyarrow.Table.from_arrays([_arrow_array(pyarrow, cells) for cells in lists], names=names)

    def _by_column(self, columns: list[str] | None) -> tuple[list[str], list[list[Any]]]:
        names = list(columns) if columns is not None else self.columns
        lists: list[list[Any]] = [[] for _ in names]
        for _, rows in self._pages(0, None, PAGE_ROWS, columns, False):
            for cells, column in zip(lists, zip(*rows)):
                cells.extend(column)
        return names, lists

    def _pages(self, offset: int, limit: int | None, size: int, columns: list[str] | None,
               terms: bool) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
        left = None if limit is None else check_count(limit, "limit")
        at: int | None = check_count(offset, "offset")
        if isinstance(columns, str):
            raise TypeError("columns is a list of names")
        while at is not None and left != 0:
            wanted = size if left is None else min(size, left)
            names, rows, at = self._read(at, wanted, columns, terms)
            if rows:
                yield names, rows
            if left is not None:
                left -= len(rows)

    def _read(self, offset: int, limit: int, columns: list[str] | None,
              terms: bool) -> tuple[list[str], list[tuple[Any, ...]], int | None]:
        if self._rows_key is None:
            self._rows_key = self._triples() if self.dtype == "graph" else self.key
        names, rows, following, stored, _ = self.session.read_page(self._rows_key, offset, limit, columns or [], terms)
        if columns is None:
            self._columns = names
        self._length = stored
        return names, rows, following

    def _triples(self) -> str:
        query = "SELECT ?subject ?predicate ?object { ?subject ?predicate ?object }"
        reply = self.session.call("g_query", self.key, query, limit=1, validate=False).check()
        return str(reply["key"])

    def __repr__(self) -> str:
        return f"Handle({self.key!r}, {self._told()})"

    def _told(self) -> str:
        rows = "rows" if self._length is None else f"{self._length:,} row{'' if self._length == 1 else 's'}"
        told = f"{rows} from {self.source or 'this session'}"
        if not self.complete:
            told += f"; {next((one for one in self.warnings if 'complete' in one), 'not complete')}"
        elif self._length == 0 and self.diagnosis:
            told += f": {self.diagnosis.get('says', '')}"
        return told

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a handle belongs to its session and cannot be copied or pickled: take its rows()")

    def _repr_html_(self) -> str:
        """A table of the first rows, for notebooks."""
        names, rows, _ = self._read(0, _HTML_ROWS, None, False)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row) + "</tr>"
                       for row in rows)
        left = (self._length or 0) - len(rows)
        more = f"; {left:,} more" if left > 0 else ""
        caption = html.escape(f"{self.key}: {self._told()}{more}")
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _pandas_column(pandas: Any, cells: list[Any]) -> Any:
    """Whole numbers stay whole where cells are missing: pandas would make floats of them."""
    if None in cells and any(type(cell) is int for cell in cells):
        if all(cell is None or type(cell) is int and -(1 << 63) <= cell < 1 << 63 for cell in cells):
            return pandas.array(cells, dtype="Int64")
        if any(type(cell) is int and abs(cell) > 1 << 53 for cell in cells):
            return pandas.Series(cells, dtype="object")
    return cells


def _arrow_array(pyarrow: Any, cells: list[Any]) -> Any:
    try:
        return pyarrow.array(cells)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
        return pyarrow.array([None if cell is None else str(cell) for cell in cells], pyarrow.string())


def _need(module: str, extra: str) -> Any:
    try:
        return __import__(module)
    except ImportError as missing:
        raise ImportError(f"this needs {module}: pip install 'helve[{extra}]'") from missing


__all__ = ["Handle", "Term"]
