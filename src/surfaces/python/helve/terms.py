"""Term: an RDF term with all that the graph says of it."""

from __future__ import annotations

from typing import NamedTuple

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Term(NamedTuple):
    """An IRI, a blank node or a literal. A literal has a language, or a datatype, or neither."""

    kind: str  # "iri", "bnode" or "literal"
    value: str  # without <> or quotation marks
    datatype: str = ""
    language: str = ""

    def n3(self) -> str:
        """In the notation of N-Triples."""
        if self.kind == "iri":
            return f"<{self.value}>"
        if self.kind == "bnode":
            return f"_:{self.value}"
        text = f'"{self.value.translate(_ESCAPES)}"'
        if self.language:
            return f"{text}@{self.language}"
        return f"{text}^^<{self.datatype}>" if self.datatype else text

    def __str__(self) -> str:
        return self.value
