"""Rows as tables of pandas and Arrow, and the same rows as rdflib finds."""

from __future__ import annotations

from pathlib import Path

import pandas
import pyarrow
import rdflib

import helve

SAMPLE = Path(__file__).resolve().parents[3] / "examples/solar-system.trig"
MASSES = "SELECT ?p ?m ?none { ?p a sol:TerrestrialPlanet ; sol:mass ?m } ORDER BY ?p"
MIXED = 'SELECT ?x { VALUES ?x { 1 "a" 2.5 true UNDEF 12345678901234567890123 } }'


def test_pandas() -> None:
    with helve.open("sample:") as session:
        frame = session.query(MASSES).to_pandas()
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.columns) == ["p", "m", "none"] and len(frame) == 4
        assert frame["m"].dtype == "float64" and frame["m"].max() == 5.97237e24
        assert frame["none"].isna().all()
        assert list(session.query(MASSES).to_pandas(columns=["m", "p"]).columns) == ["m", "p"]
        assert session.query("SELECT ?x { ?x a sol:Nothing }").to_pandas().shape == (0, 1)
        whole = session.query("SELECT ?s ?p ?o { ?s ?p ?o }")
        assert len(whole.to_pandas()) == len(whole)


def test_arrow() -> None:
    with helve.open("sample:") as session:
        table = session.query(MASSES).to_arrow()
        assert table.schema.field("m").type == pyarrow.float64() and table.num_rows == 4
        assert table.column("none").null_count == 4
        mixed = session.query(MIXED).to_arrow().column("x").to_pylist()
        assert mixed == ["1", "a", "2.5", "True", None, "12345678901234567890123"]


def test_the_same_rows_as_rdflib() -> None:
    graph = rdflib.Dataset(default_union=True)
    graph.parse(SAMPLE, format="trig")
    with helve.open(SAMPLE) as session:
        for query in ("SELECT ?s ?o { ?s sol:orbits ?o }", "SELECT ?s ?l { ?s sol:orbits ?o ; rdfs:label ?l }",
                      "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c"):
            ours = sorted(tuple(str(cell) for cell in row) for row in session.query(query).tuples())
            named = "PREFIX sol: <https://helve.example/solar/> " + query
            theirs = sorted(tuple(str(cell) for cell in row) for row in graph.query(named))
            assert ours == theirs and ours
