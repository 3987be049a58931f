"""Reads the cells of replies, which are terms as Turtle writes them, and compares those of different databases."""

import json
import re
from decimal import Decimal

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
NUMBERS = ("integer", "decimal", "double")

TYPED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\^\^(?:<([^>]*)>|([\w-]+):([\w-]+))|@[\w-]+)?', re.S)
ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.S)
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def unescape(text):
    def one(found):
        mark = found[1]
        return chr(int(mark[1:], 16)) if mark[0] in "uU" and len(mark) > 1 else PLAIN.get(mark, mark)

    return ESCAPE.sub(one, text)


def short_datatype(iri):
    for base in (XSD, RDF):
        if iri.startswith(base):
            return iri[len(base):]
    return iri


def read_cell(cell):
    """(text, datatype) with the local name of the datatype, "string" for plain literals; None for NULL."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return (str(cell).lower(), "boolean")
    if isinstance(cell, (int, float)):
        return (str(cell), "integer" if isinstance(cell, int) else "double")
    found = TYPED.fullmatch(cell)
    if found:
        datatype = short_datatype(found[2]) if found[2] else found[4] or "string"
        return (unescape(found[1]), datatype)
    if cell in ("true", "false"):
        return (cell, "boolean")
    if re.fullmatch(r"[+-]?\d+", cell):
        return (cell, "integer")
    if re.fullmatch(r"[+-]?\d*\.\d+", cell):
        return (cell, "decimal")
    if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)[eE][+-]?\d+", cell) or cell in ("INF", "-INF", "NaN"):
        return (cell, "double")
    return (cell, "string")


def value_of(cell, is_json=False):
    """What can be compared over databases: numbers by value, exactly; JSON as its tree; the rest as text."""
    read = read_cell(cell)
    if read is None:
        return None
    text, datatype = read
    if is_json or datatype == "JSON":
        try:
            return ("json", json.dumps(json.loads(text), sort_keys=True))
        except ValueError:
            return ("no json", text)
    if datatype == "boolean":  # MariaDB and SQLite keep numbers
        return ("number", Decimal(text in ("true", "1")))
    if datatype in NUMBERS and text not in ("INF", "-INF", "NaN"):
        return ("number", Decimal(text).normalize() if Decimal(text) else Decimal(0))
    return ("text", text)
