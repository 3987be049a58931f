#!/usr/bin/env python3
"""The layers L0 and L1 of published ontologies: cards_test.py CONTEXT_CARDS

Every text is within its budget and the same in another process; every line is one that this script understands, and
every number and name in it is held against rdflib (claims.py), which knows nothing of the code that wrote it. At the
default budgets the texts are those of golden/ (UPDATE_EXPECT=1 writes them anew). Reads the ontologies in place, in
$HELVE_SHARED/data/ontologies or ../shared; skipped without them or without rdflib.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))

from test_data import missing, shared_path  # noqa: E402

FILES = {"dcterms": "dcterms/dcterms.ttl", "dul": "dul/DUL.ttl", "foaf": "foaf/foaf.ttl", "geosparql": "geosparql/geo.ttl",
         "lubm": "lubm/univ-bench.owl", "prov": "prov/prov.ttl", "schemaorg": "schemaorg/schemaorg-current-https.ttl",
         "sio": "sio/sio.owl", "skos": "skos/skos.ttl", "uniprot-core": "uniprot-core/core.ttl"}
DEFAULT = (600, 1000)
LARGE = (3000, 6000)
BUDGETS = [DEFAULT, LARGE, (600, 400), (300, 250), (120, 120), (40, 60), (0, 0)]
QUERIES_MAX = 24
PROV = "1,664 triples; 59 classes declared (51 named); 69 properties declared"
# What must be there at the default budgets, wherever the ontology has something to say of it.
L0_PARTS = {"title", "size", "labels", "namespaces", "formalism"}
L1_PARTS = {"avoid"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def ontologies():
    return shared_path("data/ontologies") or skip(missing("data/ontologies"))


def import_claims():
    sys.path.insert(0, str(HERE))
    try:
        import rdflib  # noqa: F401
    except ImportError:
        sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another interpreter
        try:
            import rdflib  # noqa: F401
        except ImportError:
            skip("no rdflib (Debian: python3-rdflib)")
    import claims
    return claims


class Cards:
    def __init__(self, program):
        self.program = program
        self.wrong = []
        self.checked = 0

    def fail(self, name, message):
        self.wrong.append(f"{name}: {message}")

    def run(self, name, path):
        words = [self.program, name, str(path)] + [f"{l0}:{l1}" for l0, l1 in BUDGETS]
        return subprocess.run(words, capture_output=True, text=True, timeout=300, check=True).stdout

    def check_budgets(self, name, cards):
        for card in cards:
            for layer in ("l0", "l1"):
                text, budget = card[layer]["text"], card[f"{layer}_budget"]
                if len(text) > budget or len(text) != card[layer]["chars"]:
                    self.fail(name, f"{layer} of {budget} has {len(text)} characters and says {card[layer]['chars']}")
                if text and not text.endswith("\n"):
                    self.fail(name, f"{layer} of {budget} is cut within a line")
                if any(ord(c) < 32 and c != "\n" for c in text):
                    self.fail(name, f"{layer} of {budget} has control characters")
                if budget >= 250 and not text:
                    self.fail(name, f"{layer} of {budget} is empty")
        for layer, wanted in (("l0", L0_PARTS), ("l1", L1_PARTS)):
            if missing := wanted - set(cards[0][layer]["parts"]):
                self.fail(name, f"{layer} lacks {sorted(missing)}")

    def check_golden(self, name, card):
        for layer in ("l0", "l1"):
            path = HERE / "golden" / f"{name}.{layer}.txt"
            if os.environ.get("UPDATE_EXPECT") == "1":
                path.write_text(card[layer]["text"])
            elif not path.exists() or path.read_text() != card[layer]["text"]:
                self.fail(name, f"{layer} is not {path.relative_to(ROOT)} (UPDATE_EXPECT=1 renews it):\n{card[layer]['text']}")

    def check(self, name, path, claims):
        out = self.run(name, path)
        if self.run(name, path) != out:
            self.fail(name, "another process gives other bytes")
        head, *cards = [json.loads(line) for line in out.splitlines()]
        if head["queries"] > QUERIES_MAX:
            self.fail(name, f"{head['queries']} queries")
        self.check_budgets(name, cards)
        self.check_golden(name, cards[0])
        if name == "prov" and PROV not in cards[0]["l0"]["text"]:
            self.fail(name, f"L0 does not say: {PROV}")
        truth = claims.Claims(path)
        for card in cards:
            for layer in ("l0", "l1"):
                for message in truth.check(layer, card[layer]["text"]):
                    self.fail(name, f"{layer} of {card[f'{layer}_budget']}: {message}")
        self.checked += truth.checked


def main():
    folder = ontologies()
    claims = import_claims()
    cards = Cards(sys.argv[1])
    for name, path in FILES.items():
        cards.check(name, folder / path, claims)
    for line in cards.wrong:
        print(line)
    print(f"{len(FILES)} ontologies, {len(BUDGETS)} pairs of budgets, {cards.checked} claims held against rdflib, "
          f"{len(cards.wrong)} wrong")
    sys.exit(1 if cards.wrong else 0)


if __name__ == "__main__":
    main()
