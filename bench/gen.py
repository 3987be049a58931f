#!/usr/bin/env python3
"""Makes a graph of universities, people, courses and publications as N-Triples: gen.py TRIPLES OUT.nt

The same number gives the same bytes. All triples are distinct. Shape: many literals (names, titles,
dates, numbers), skewed degrees (a few papers are cited often), a small class hierarchy.
"""

import random
import sys
from itertools import islice

NS = "http://bench.helve.example/"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
XSD = "http://www.w3.org/2001/XMLSchema#"
GIVEN = ("Ada Bruno Chiara Deniz Emil Farah Goran Hana Iris Jonas Keiko Liam Maya Nils Olga Pavel Rosa "
         "Sami Tuva Uma Viktor Wanda Xenia Yusuf Zoe").split()
FAMILY = ("Abe Berg Costa Diaz Eder Fuchs Garcia Haas Ito Jansen Kim Lopez Moreau Novak Okafor Petrov "
          "Quist Rossi Silva Tanaka Ueda Varga Weber Xu Yilmaz Zhang").split()
WORDS = ("adaptive analysis bounded causal compact data deep discrete dynamic efficient entropy exact fast "
         "finite fluid graph hidden inference kernel lattice linear logic matrix model network neural optimal "
         "parallel phase protein quantum query random robust sparse spectral stable stochastic symbolic theory").split()
CLASSES = {"Professor": "Person", "Student": "Person", "Department": "Organisation", "University": "Organisation",
           "Article": "Publication", "Book": "Publication", "Course": "Activity"}


def iri(kind, *numbers):
    return f"<{NS}{kind}/{'/'.join(map(str, numbers))}>"


def prop(name):
    return f"<{NS}vocab#{name}>"


def typed(value, datatype):
    return f'"{value}"^^<{XSD}{datatype}>'


NAME, EMAIL, MEMBER_OF, PART_OF, ADVISOR = map(prop, ("name", "email", "memberOf", "partOf", "advisor"))
TAKES, TEACHES, CREDITS, AUTHOR, TITLE = map(prop, ("takes", "teaches", "credits", "author", "title"))
PUBLISHED, PAGES, CITES, SCORE, BORN, FOUNDED = map(
    prop, ("published", "pages", "cites", "score", "born", "founded"))


def cls(name):
    return prop(name)


def person(rng, who, kind, department, number):
    name = f"{GIVEN[rng.randrange(25)]} {FAMILY[rng.randrange(26)]}"
    yield f"{who} {RDF_TYPE} {cls(kind)} ."
    yield f'{who} {NAME} "{name}" .'
    yield f'{who} {EMAIL} "{name.lower().replace(" ", ".")}.{number}@bench.helve.example" .'
    yield f"{who} {MEMBER_OF} {department} ."
    born = f"{rng.randrange(1950, 2006)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    yield f"{who} {BORN} {typed(born, 'date')} ."


def publication(rng, number, authors):
    what = iri("publication", number)
    yield f"{what} {RDF_TYPE} {cls('Article' if rng.random() < 0.9 else 'Book')} ."
    title = " ".join(rng.choices(WORDS, k=rng.randrange(4, 9))).capitalize()
    yield f'{what} {TITLE} "{title}"@en .'
    yield f"{what} {PUBLISHED} {typed(rng.randrange(1990, 2026), 'gYear')} ."
    yield f"{what} {PAGES} {typed(rng.randrange(4, 60), 'integer')} ."
    yield f"{what} {SCORE} {typed(f'{rng.random() * 10:.2f}', 'decimal')} ."
    for author in authors:
        yield f"{what} {AUTHOR} {author} ."
    # A cube of a uniform number favours the early publications: a few are cited very often.
    cited = {int(number * rng.random() ** 3) for _ in range(rng.randrange(0, 7))} if number else ()
    for other in sorted(cited):
        yield f"{what} {CITES} {iri('publication', other)} ."


def department_triples(rng, university, number, counters):
    here = iri("department", university, number)
    yield f"{here} {RDF_TYPE} {cls('Department')} ."
    yield f'{here} {LABEL} "Department of {WORDS[number].capitalize()} {WORDS[-number - 1].capitalize()}"@en .'
    yield f"{here} {PART_OF} {iri('university', university)} ."
    professors = [iri("professor", university, number, i) for i in range(rng.randrange(8, 15))]
    courses = [iri("course", university, number, i) for i in range(rng.randrange(15, 30))]
    for course in courses:
        yield f"{course} {RDF_TYPE} {cls('Course')} ."
        yield f'{course} {TITLE} "{" ".join(rng.choices(WORDS, k=3)).capitalize()}"@en .'
        yield f"{course} {CREDITS} {typed(rng.randrange(1, 13), 'integer')} ."
        yield f"{rng.choice(professors)} {TEACHES} {course} ."
    for professor in professors:
        counters["person"] += 1
        yield from person(rng, professor, "Professor", here, counters["person"])
    students = [iri("student", university, number, i) for i in range(rng.randrange(80, 160))]
    for student in students:
        counters["person"] += 1
        yield from person(rng, student, "Student", here, counters["person"])
        yield f"{student} {ADVISOR} {rng.choice(professors)} ."
        for course in rng.sample(courses, rng.randrange(2, 6)):
            yield f"{student} {TAKES} {course} ."
    for professor in professors:
        for _ in range(rng.randrange(5, 16)):
            authors = [professor] + rng.sample(students, rng.randrange(0, 4))
            yield from publication(rng, counters["publication"], authors)
            counters["publication"] += 1


def triples():
    rng = random.Random(20)
    counters = {"person": 0, "publication": 0}
    for name, parent in CLASSES.items():
        yield f"{cls(name)} {SUBCLASS} {cls(parent)} ."
    university = 0
    while True:
        here = iri("university", university)
        yield f"{here} {RDF_TYPE} {cls('University')} ."
        yield f'{here} {LABEL} "University {university}"@en .'
        yield f"{here} {FOUNDED} {typed(rng.randrange(1100, 2000), 'gYear')} ."
        for number in range(rng.randrange(8, 16)):
            yield from department_triples(rng, university, number, counters)
        university += 1


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        raise SystemExit("usage: gen.py TRIPLES OUT.nt")
    with open(sys.argv[2], "w", encoding="utf-8", buffering=1 << 20) as out:
        out.writelines(line + "\n" for line in islice(triples(), int(sys.argv[1])))


if __name__ == "__main__":
    main()
