#!/usr/bin/env python3
"""Makes the graph of a rehearsal, once, and runs it: rehearse.py HELVE REHEARSAL TRIPLES FOLDER [OPTION...]

The ontology and the VoID of UniProt are read where HELVE_SHARED says, or "shared" beside the repository; without them the
exit status is 77. OPTIONs are those of helve_rehearsal.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
sys.path.insert(0, str(HERE.parent / "support"))

from test_data import missing, shared_path  # noqa: E402


DATA = ("data/ontologies/uniprot-core/core.ttl", "data/endpoints/void_uniprot.ttl")


def make_index(helve, triples, folder, ontology):
    index = folder / f"uniprot-{triples}.helve"
    made_by = HERE / "gen_uniprot.py"
    if index.exists() and index.stat().st_mtime > made_by.stat().st_mtime:
        return index
    folder.mkdir(parents=True, exist_ok=True)
    statements = folder / f"uniprot-{triples}.nq"
    subprocess.run([sys.executable, made_by, triples, statements], check=True)
    subprocess.run([helve, "load", statements, "--named-graph", f"http://purl.uniprot.org/core={ontology}", "-o", index, "--force"],
                   check=True)
    statements.unlink()
    return index


def main():
    if len(sys.argv) < 5 or not sys.argv[3].isdigit():
        raise SystemExit("usage: rehearse.py HELVE REHEARSAL TRIPLES FOLDER [OPTION...]")
    helve, rehearsal, triples, folder, *options = sys.argv[1:]
    ontology, description = map(shared_path, DATA)
    for path, file in zip(DATA, (ontology, description)):
        if file is None:
            print(f"skipped: {missing(path)}")
            return SKIPPED
    index = make_index(helve, triples, Path(folder), ontology)
    return subprocess.run([rehearsal, index, "--void", description, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
