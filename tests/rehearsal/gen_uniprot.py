#!/usr/bin/env python3
"""Makes proteins and what belongs to them in the vocabulary of UniProt, as N-Quads: gen_uniprot.py STATEMENTS OUT.nq

The same number gives the same bytes. The graphs are those of the real endpoint, and what hangs on one protein has about the
proportions that its VoID tells: reified statements, annotations with positions, cross-references, names, genes, sequences.
"""

import random
import sys
from itertools import islice

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XSD = "http://www.w3.org/2001/XMLSchema#"
FALDO = "http://biohackathon.org/resource/faldo#"
BASE = "http://purl.uniprot.org/"
GRAPHS = "http://sparql.uniprot.org/"
WORDS = ("abelson actin adenylate alpha amylase binding calcium carrier chaperone collagen cyclin cytochrome dehydrogenase "
         "elongation factor ferredoxin globin glutathione helicase heat histone hydrolase insulin kinase lectin ligase membrane "
         "myosin oxidase peptidase phosphatase polymerase protein putative receptor reductase ribosomal shock subunit "
         "synthase transferase transporter tubulin ubiquitin zinc").split()
ANNOTATIONS = ("Transmembrane_Annotation", "Domain_Extent_Annotation", "Region_Annotation", "Binding_Site_Annotation")
COMMENTS = ("Caution_Annotation", "Similarity_Annotation", "Function_Annotation", "Subunit_Annotation")
RANKS = ("Species", "Genus", "Family")
DATABASES, ENZYMES, DISEASES, KEYWORDS = 180, 800, 600, 500
AMINO = "ACDEFGHIKLMNPQRSTVWY"


def up(name):
    return f"<{BASE}core/{name}>"


def typed(value, datatype):
    return f'"{value}"^^<{XSD}{datatype}>'


TYPE, LABEL, COMMENT, SEE_ALSO = f"<{RDF}type>", f"<{RDFS}label>", f"<{RDFS}comment>", f"<{RDFS}seeAlso>"
PREF_LABEL = f"<{SKOS}prefLabel>"


class Maker:
    def __init__(self):
        self.rng = random.Random(20)
        self.proteins = 0

    def words(self, low, high):
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(low, high))).capitalize()

    def date(self):
        return typed(f"{self.rng.randrange(1986, 2026)}-{self.rng.randrange(1, 13):02}-{self.rng.randrange(1, 29):02}", "date")

    def small_graphs(self):
        for i in range(DATABASES):
            it = f"<{BASE}database/DB-{i:04}>"
            yield "database", it, TYPE, up("Database")
            yield "database", it, LABEL, f'"Databank {i}"'
            yield "database", it, up("abbreviation"), f'"DBK{i}"'
            yield "database", it, up("urlTemplate"), f'"https://databank{i}.example/%s"'
        for i in range(ENZYMES):
            it = f"<{BASE}enzyme/{i % 7 + 1}.{i // 7 % 9 + 1}.{i // 63 + 1}.{i}>"
            yield "enzymes", it, TYPE, up("Enzyme")
            yield "enzymes", it, PREF_LABEL, f'"{self.words(1, 3)}"'
        for i in range(DISEASES):
            it = f"<{BASE}diseases/{i}>"
            yield "diseases", it, TYPE, up("Disease")
            yield "diseases", it, PREF_LABEL, f'"{self.words(1, 2)} deficiency {i}"'
            yield "diseases", it, up("mnemonic"), f'"DIS{i}"'
        for i in range(KEYWORDS):
            it = f"<{BASE}keywords/{i}>"
            yield "keywords", it, TYPE, up("Concept")
            yield "keywords", it, LABEL, f'"{self.words(1, 2)} {i}"'

    def citation(self, number):
        it = f"<{BASE}citations/{number}>"
        kind = "Book_Citation" if number % 400 == 7 else "Journal_Citation"
        yield "citations", it, TYPE, up(kind)
        yield "citations", it, up("title"), f'"{self.words(5, 12)}"'
        for _ in range(self.rng.randrange(2, 11)):
            yield "citations", it, up("author"), f'"{self.rng.choice(WORDS).capitalize()} {chr(65 + self.rng.randrange(26))}. {self.rng.randrange(500)}"'
        yield "citations", it, up("date"), typed(self.rng.randrange(1970, 2026), "gYear")
        yield "citations", it, up("volume"), f'"{self.rng.randrange(1, 400)}"'
        yield "citations", it, up("pages"), f'"{self.rng.randrange(1, 9000)}-{self.rng.randrange(9000, 9999)}"'
        yield "citations", it, up("name"), f'"{WORDS[self.rng.randrange(8)].capitalize()} J."'

    def taxon(self, number):
        it = f"<{BASE}taxonomy/{number}>"
        yield "taxonomy", it, TYPE, up("Taxon")
        yield "taxonomy", it, up("scientificName"), f'"{self.words(2, 2)} {number}"'
        yield "taxonomy", it, up("rank"), up(RANKS[number % 3])
        yield "taxonomy", it, f"<{RDFS}subClassOf>", f"<{BASE}taxonomy/{number // 3}>"
        if number % 60 == 0:
            yield "taxonomy", it, up("commonName"), f'"{self.words(1, 2)}"'

    def position(self, it, protein):
        yield it, TYPE, f"<{FALDO}Position>"
        yield it, TYPE, f"<{FALDO}ExactPosition>"
        yield it, f"<{FALDO}position>", typed(self.rng.randrange(1, 2000), "int")
        yield it, f"<{FALDO}reference>", f"<{BASE}isoforms/{protein}-1>"

    def annotation(self, who, protein, number):
        it = f"<{BASE}uniprot/{protein}#SIP{number}>"
        yield who, up("annotation"), it
        if number % 2:
            yield it, TYPE, up(COMMENTS[self.rng.randrange(4)])
            yield it, COMMENT, f'"{self.words(6, 14)}."'
            return
        yield it, TYPE, up(ANNOTATIONS[self.rng.randrange(4)])
        where = f"<{BASE}range/{protein}{number}>"
        yield it, up("range"), where
        yield where, TYPE, f"<{FALDO}Region>"
        for end in ("begin", "end"):
            at = f"<{BASE}position/{protein}{number}{end}>"
            yield where, f"<{FALDO}{end}>", at
            yield from self.position(at, protein)

    def statement(self, who, protein, number, of):
        it = f"<{BASE}uniprot/{protein}#_{number}>"
        yield it, TYPE, f"<{RDF}Statement>"
        yield it, f"<{RDF}subject>", who
        yield it, f"<{RDF}predicate>", of[0]
        yield it, f"<{RDF}object>", of[1]
        why = f"<{BASE}uniprot/{protein}#attribution-{number}>"
        yield it, up("attribution"), why
        yield why, up("evidence"), f"<http://purl.obolibrary.org/obo/ECO_{256 + self.rng.randrange(30):07}>"
        yield why, up("source"), f"<{BASE}citations/{self.rng.randrange(self.proteins // 20 + 1)}>"

    def names(self, who, protein):
        it = f"<{BASE}uniprot/{protein}#name>"
        yield who, up("recommendedName" if self.proteins % 2 else "submittedName"), it
        yield it, TYPE, up("Structured_Name")
        yield it, up("fullName"), f'"{self.words(2, 5)}"'
        if self.rng.random() < 0.15:
            yield it, up("ecName"), f'"{self.rng.randrange(1, 8)}.{self.rng.randrange(1, 10)}.{self.rng.randrange(1, 20)}.-"'
        gene = f"<{BASE}uniprot/{protein}#gene>"
        yield who, up("encodedBy"), gene
        yield gene, TYPE, up("Gene")
        yield gene, PREF_LABEL, f'"{WORDS[self.rng.randrange(40)][:3].upper()}{self.rng.randrange(99)}"'
        yield gene, up("orfName"), f'"ORF_{self.proteins:07}_{self.rng.randrange(10)}"'
        sequence = f"<{BASE}isoforms/{protein}-1>"
        yield who, up("sequence"), sequence
        yield sequence, TYPE, up("Simple_Sequence")
        yield sequence, f"<{RDF}value>", f'"M{"".join(self.rng.choices(AMINO, k=40))}"'
        yield sequence, up("mass"), typed(self.rng.randrange(4000, 90000), "int")
        yield sequence, up("md5Checksum"), f'"{self.rng.getrandbits(128):032x}"'

    def protein(self):
        name = f"P{self.proteins:07}"
        who = f"<{BASE}uniprot/{name}>"
        yield who, TYPE, up("Protein")
        yield who, up("mnemonic"), f'"{WORDS[self.rng.randrange(45)][:4].upper()}{self.proteins}_{WORDS[self.rng.randrange(45)][:5].upper()}"'
        yield who, up("reviewed"), typed("true" if self.rng.random() < 0.02 else "false", "boolean")
        yield who, up("created"), self.date()
        yield who, up("modified"), self.date()
        yield who, up("version"), typed(self.rng.randrange(1, 200), "int")
        yield who, up("existence"), up("Predicted_Existence")
        organism = f"<{BASE}taxonomy/{int(max(1, self.proteins // 30) * self.rng.random() ** 3)}>"
        yield who, up("organism"), organism
        yield who, up("proteome"), f"<{BASE}proteomes/UP{self.proteins // 40:09}>"
        yield from self.names(who, name)
        for number in range(5):
            yield from self.annotation(who, name, number)
        keywords = [f"<{BASE}keywords/{i}>" for i in self.rng.sample(range(KEYWORDS), 4)]
        for keyword in keywords:
            yield who, up("classifiedWith"), keyword
        for number in self.rng.sample(range(DATABASES), 10):
            there = f"<https://databank{number}.example/{name}>"
            yield who, SEE_ALSO, there
            if number % 5 == 0:
                yield there, TYPE, up("Resource")
                yield there, up("database"), f"<{BASE}database/DB-{number:04}>"
        yield who, up("citation"), f"<{BASE}citations/{self.rng.randrange(self.proteins // 20 + 1)}>"
        for number in range(14):
            of = (up("organism"), organism) if number == 0 else (up("classifiedWith"), keywords[number % 4])
            yield from self.statement(who, name, number, of)

    def statements(self):
        yield from self.small_graphs()
        while True:
            if self.proteins % 20 == 0:
                yield from self.citation(self.proteins // 20)
            if self.proteins % 30 == 0:
                yield from self.taxon(self.proteins // 30)
            for triple in self.protein():
                yield ("uniprot", *triple)
            self.proteins += 1


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        raise SystemExit("usage: gen_uniprot.py STATEMENTS OUT.nq")
    with open(sys.argv[2], "w", encoding="utf-8", buffering=1 << 20) as out:
        for graph, subject, predicate, value in islice(Maker().statements(), int(sys.argv[1])):
            out.write(f"{subject} {predicate} {value} <{GRAPHS}{graph}> .\n")


if __name__ == "__main__":
    main()
