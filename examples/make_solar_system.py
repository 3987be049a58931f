#!/usr/bin/env python3
"""Makes solar-system.trig from the hand-written tables in tables/ and solar-system-ontology.ttl.

Usage: make_solar_system.py [--check]. The same input gives the same bytes; --check writes nothing and
fails when the file differs. It fails also when a table names something that no table defines, or a
term that the ontology does not declare.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASE = "https://helve.example/solar/"
PREFIXES = {
    "agency": BASE + "agency/",
    "body": BASE + "body/",
    "dct": "http://purl.org/dc/terms/",
    "gas": BASE + "gas/",
    "graph": BASE + "graph/",
    "group": BASE + "group/",
    "instrument": BASE + "instrument/",
    "mission": BASE + "mission/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "person": BASE + "person/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "region": BASE + "region/",
    "site": BASE + "site/",
    "sol": BASE,
    "vehicle": BASE + "vehicle/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
REGIONS = {
    "main_belt": ("AsteroidBelt", "asteroid belt", "Asteroidengürtel", "ceinture d'astéroïdes"),
    "kuiper_belt": ("KuiperBelt", "Kuiper belt", "Kuipergürtel", "ceinture de Kuiper"),
    "scattered_disc": ("ScatteredDisc", "scattered disc", "gestreute Scheibe", "disque des objets épars"),
    "oort_cloud": ("OortCloud", "Oort cloud", "Oortsche Wolke", "nuage d'Oort"),
}
FLAGS = {
    "atmosphere": "sol:hasAtmosphere",
    "rings": "sol:hasRings",
    "magnetic_field": "sol:hasMagneticField",
    "subsurface_ocean": "sol:hasSubsurfaceOcean",
}
PLANETS = ("TerrestrialPlanet", "GasGiant", "IceGiant")
SHORTCUTS = {"Landing": "sol:landedOn", "OrbitInsertion": "sol:orbited", "Rendezvous": "sol:orbited"}


def read_table(name):
    """The rows of a table as dictionaries; lines that start with # are comments."""
    lines = (HERE / "tables" / name).read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    header = lines[0].split("|")
    rows = []
    for line in lines[1:]:
        cells = line.split("|")
        if len(cells) != len(header):
            raise SystemExit(f"{name}: {len(cells)} cells instead of {len(header)}: {line}")
        rows.append(dict(zip(header, cells)))
    return rows


def local_name(text):
    """'Chang'e 5' gives 'Chang-e-5': safe in a prefixed name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def text(value, tag=""):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' + (f"@{tag}" if tag else "")


def typed(value, datatype):
    return f'"{value}"^^xsd:{datatype}'


def decimal(value):
    return value if "." in value else value + ".0"


def day_or_year(subject, name, value):
    """A full date goes to NAMEDate, a year alone to NAMEYear."""
    if not value:
        return
    if re.fullmatch(r"\d{4}", value):
        subject.add(f"sol:{name}Year", typed(value, "gYear"))
    else:
        subject.add("sol:" + ("founded" if name == "founded" else name + "Date"), typed(value, "date"))


class Subject:
    """One subject and what is said of it, in order."""

    def __init__(self, name, *classes):
        self.name = name
        self.pairs = {}
        for cls in classes:
            self.add("a", "sol:" + cls)

    def add(self, predicate, *values):
        known = self.pairs.setdefault(predicate, [])
        known += [value for value in values if value not in known]

    def add_decimal(self, predicate, value):
        if value:
            self.add(predicate, decimal(value))

    def lines(self):
        parts = [f"{predicate} {' , '.join(values)}" for predicate, values in self.pairs.items()]
        return f"    {self.name} " + " ;\n        ".join(parts) + " .\n"


class Graph:
    def __init__(self, name, title):
        self.name = "graph:" + name
        self.title = title
        self.subjects = []

    def subject(self, name, *classes):
        self.subjects.append(Subject(name, *classes))
        return self.subjects[-1]

    def text(self):
        return self.name + " {\n" + "\n".join(s.lines() for s in self.subjects) + "}\n"


def add_names(subject, row_id, names):
    row = names.get(row_id, {})
    english = row.get("en") or re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", row_id)
    subject.add("rdfs:label", text(english, "en"))
    for tag in ("de", "fr", "es", "it", "ja", "zh"):
        if row.get(tag):
            subject.add("rdfs:label", text(row[tag], tag))
    return english


def add_features(subject, features):
    for feature in filter(None, features.split(",")):
        if feature in REGIONS:
            subject.add("sol:locatedIn", "region:" + REGIONS[feature][0])
        elif feature in FLAGS:
            subject.add(FLAGS[feature], "true")
        else:
            subject.add("sol:feature", text(feature.replace("_", " ")))
    if "subsurface_ocean" in features:
        subject.add("a", "sol:OceanWorld")


def add_orbit(subject, row):
    subject.add_decimal("sol:meanRadius", row["radius_km"])
    if row["mass_kg"]:
        subject.add("sol:mass", row["mass_kg"])
    subject.add_decimal("sol:orbitalPeriod", row["period_d"])
    subject.add_decimal("sol:eccentricity", row["eccentricity"])
    subject.add_decimal("sol:inclination", row["inclination_deg"])
    day_or_year(subject, "discovery", row["discovered"])
    for person in filter(None, row["discoverers"].split(",")):
        subject.add("sol:discoveredBy", "person:" + person)


def make_bodies(names, atmospheres, moons):
    graph = Graph("bodies", "Sun, planets, dwarf planets, moons and small bodies")
    for key, (name, english, german, french) in REGIONS.items():
        region = graph.subject("region:" + name, "Region")
        region.add("rdfs:label", text(english, "en"), text(german, "de"), text(french, "fr"))
    planets = set()
    for row in read_table("bodies.psv"):
        body = graph.subject("body:" + row["id"], row["class"])
        add_names(body, row["id"], names)
        body.add("rdfs:comment", text(row["note"], "en"))
        if row["orbits"]:
            body.add("sol:orbits", "body:" + row["orbits"])
        add_orbit(body, row)
        body.add_decimal("sol:semiMajorAxisAu", row["a_au"])
        body.add_decimal("sol:rotationPeriod", row["rotation_h"])
        if row["temperature_k"]:
            body.add("sol:surfaceTemperature", row["temperature_k"])
        add_features(body, row["features"])
        add_atmosphere(body, row["id"], atmospheres)
        if row["class"] in PLANETS:
            planets.add(row["id"])
            for predicate in FLAGS.values():
                if predicate not in body.pairs:
                    body.add(predicate, "false")
        for moon in moons:
            if moon["parent"] == row["id"]:
                body.add("sol:hasMoon", "body:" + moon["id"])
    for row in moons:
        add_moon(graph, row, planets, names, atmospheres)
    for name in sorted({row["group"] for row in moons if row["group"]}):
        graph.subject("group:" + local_name(name), "MoonGroup").add("rdfs:label", text(name, "en"))
    for gas in sorted({row["gas"] for row in atmospheres}):
        graph.subject("gas:" + local_name(gas), "Gas").add("rdfs:label", text(gas, "en"))
    return graph


def add_atmosphere(body, row_id, atmospheres):
    for row in atmospheres:
        if row["body"] == row_id:
            share = f" ; sol:fraction {row['fraction']}" if row["fraction"] else ""
            body.add("sol:atmosphereComponent", f"[ sol:gas gas:{local_name(row['gas'])}{share} ]")


def add_moon(graph, row, planets, names, atmospheres):
    period = float(row["period_d"] or 0)
    distant = row["parent"] in planets and (period > 100 or "retrograde" in row["features"])
    kind = "SmallBodyMoon" if row["parent"] not in planets else "IrregularMoon" if distant else "RegularMoon"
    moon = graph.subject("body:" + row["id"], kind)
    english = add_names(moon, row["id"], names)
    parent = names.get(row["parent"], {}).get("en") or row["parent"]
    found = f", discovered in {row['discovered'][:4]}" if row["discovered"] else ""
    moon.add("rdfs:comment", text(f"{english} is a moon of {parent}{found}.", "en"))
    moon.add("sol:orbits", "body:" + row["parent"])
    add_orbit(moon, row)
    moon.add_decimal("sol:semiMajorAxis", row["a_km"])
    if row["group"]:
        moon.add("sol:inGroup", "group:" + local_name(row["group"]))
    add_features(moon, row["features"])
    add_atmosphere(moon, row["id"], atmospheres)


def make_missions(visits, instruments):
    graph = Graph("missions", "Missions, what they visited, agencies, launch sites and vehicles")
    for row in read_table("missions.psv"):
        mission = graph.subject("mission:" + local_name(row["id"]), *row["classes"].split(","))
        mission.add("rdfs:label", text(row["id"], "en"))
        mission.add("rdfs:comment", text(row["note"], "en"))
        mission.add("sol:operatedBy", *("agency:" + agency for agency in row["agencies"].split(",")))
        mission.add("sol:launchDate", typed(row["launched"], "date"))
        mission.add("sol:launchedFrom", "site:" + row["site"])
        mission.add("sol:launchVehicle", "vehicle:" + row["vehicle"])
        mission.add_decimal("sol:launchMass", row["mass_kg"])
        day_or_year(mission, "end", row["ended"])
        mission.add("sol:status", text(row["status"]))
        mission.add("sol:isActive", "true" if row["status"] in ("active", "cruise") else "false")
        if row["part_of"]:
            mission.add("sol:partOf", "mission:" + local_name(row["part_of"]))
        if row["crew"]:
            crew = ["person:" + person for person in row["crew"].split(",")]
            mission.add("sol:crewMember", *crew)
            mission.add("sol:crew", f"( {' '.join(crew)} )")
            mission.add("sol:flightDuration", typed(row["duration"], "dayTimeDuration"))
        add_visits(mission, [visit for visit in visits if visit["mission"] == row["id"]])
        for short, _, _, _ in instruments.get(row["id"], []):
            mission.add("sol:carries", instrument_name(row["id"], short))
    add_places_and_agencies(graph)
    return graph


def add_visits(mission, visits):
    for visit in visits:
        target = "body:" + visit["target"]
        when = f"sol:date {typed(visit['date'][:10], 'date')}"
        if "T" in visit["date"]:
            when += f" ; sol:time {typed(visit['date'], 'dateTime')}"
        mission.add("sol:visit", f"[ a sol:{visit['kind']} ; sol:target {target} ; {when} ]")
    for visit in visits:
        if visit["kind"] == "SampleReturn":
            continue
        mission.add("sol:visited", "body:" + visit["target"])
        if visit["kind"] in SHORTCUTS:
            mission.add(SHORTCUTS[visit["kind"]], "body:" + visit["target"])
    stops = ["body:" + visit["target"] for visit in sorted(visits, key=lambda visit: visit["date"])]
    if len(set(stops)) > 2:
        mission.add("sol:itinerary", f"( {' '.join(stops)} )")


def add_places_and_agencies(graph):
    for row in read_table("agencies.psv"):
        agency = graph.subject("agency:" + row["id"], row["class"])
        agency.add("rdfs:label", text(row["name"], "en"))
        if row["name_other"]:
            agency.add("rdfs:label", text(*row["name_other"].split("@")))
        if row["short"]:
            agency.add("sol:shortName", text(row["short"]))
        if row["country"]:
            agency.add("sol:country", text(row["country"]))
        day_or_year(agency, "founded", row["founded"])
    for row in read_table("sites.psv"):
        site = graph.subject("site:" + row["id"], "LaunchSite")
        site.add("rdfs:label", text(row["name"], "en"))
        site.add("sol:country", text(row["country"]))
        site.add("sol:latitude", row["latitude"])
        site.add("sol:longitude", row["longitude"])
    for row in read_table("vehicles.psv"):
        vehicle = graph.subject("vehicle:" + row["id"], "LaunchVehicle")
        vehicle.add("rdfs:label", text(row["name"], "en"))
        vehicle.add("sol:country", text(row["country"]))
        vehicle.add("sol:firstFlight", typed(row["first_flight"], "gYear"))
        if row["stages"]:
            vehicle.add("sol:stages", row["stages"])


def read_instruments():
    """Mission to [(short name, full name, class, builder)]."""
    found = {}
    for row in read_table("instruments.psv"):
        for item in row["instruments"].split(";"):
            parts = (item.split("=") + [""])[:4]
            found.setdefault(row["mission"], []).append(tuple(parts))
    return found


def instrument_name(mission, short):
    return f"instrument:{local_name(mission)}-{local_name(short)}"


def make_instruments(instruments):
    graph = Graph("instruments", "Scientific instruments of the missions")
    for mission, items in instruments.items():
        for short, name, kind, builder in items:
            instrument = graph.subject(instrument_name(mission, short), kind)
            instrument.add("rdfs:label", text(name, "en"))
            instrument.add("sol:shortName", text(short))
            instrument.add("sol:carriedBy", "mission:" + local_name(mission))
            if builder:
                instrument.add("sol:builtBy", "agency:" + builder)
    return graph


def make_people():
    graph = Graph("people", "Astronomers and space travellers")
    for row in read_table("people.psv"):
        person = graph.subject("person:" + row["id"], row["class"])
        person.add("rdfs:label", text(row["name"], "en"))
        day_or_year(person, "birth", row["born"])
        day_or_year(person, "death", row["died"])
        if row["nationality"]:
            person.add("sol:nationality", text(row["nationality"]))
    return graph


def make_provenance(graphs):
    graph = Graph("provenance", "Where the statements of the other graphs come from")
    activity = graph.subject("graph:generation")
    activity.add("a", "prov:Activity")
    activity.add("rdfs:label", text("make_solar_system.py", "en"))
    for name, title in [("graph:ontology", "The vocabulary")] + [(g.name, g.title) for g in graphs]:
        entity = graph.subject(name)
        entity.add("a", "prov:Entity")
        entity.add("dct:title", text(title, "en"))
        entity.add("prov:wasGeneratedBy", "graph:generation")
        entity.add("dct:license", "<https://creativecommons.org/publicdomain/zero/1.0/>")
        source = "[ a prov:Entity ; rdfs:label " + text(f"hand-written tables for {name[6:]}", "en") + " ]"
        entity.add("prov:wasDerivedFrom", source)
    return graph


def check_references(document, ontology):
    """Every name used is a subject somewhere, every sol: term is declared."""
    subjects = set(re.findall(r"^    ([a-z]+:[A-Za-z0-9-]+) ", document, re.M))
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', document)
    kinds = "agency|body|gas|group|instrument|mission|person|region|site|vehicle"
    used = set(re.findall(rf"\b(?:{kinds}):[A-Za-z0-9-]+", plain))
    declared = set(re.findall(r"^(sol:[A-Za-z]+) a ", ontology, re.M))
    terms = set(re.findall(r"\bsol:[A-Za-z]+", plain + ontology))
    missing = sorted(used - subjects) + sorted(terms - declared)
    if missing:
        raise SystemExit(f"not defined: {', '.join(missing)}")


def main():
    names = {row["id"]: row for row in read_table("names.psv")}
    instruments, visits = read_instruments(), read_table("visits.psv")
    bodies = make_bodies(names, read_table("atmospheres.psv"), read_table("moons.psv"))
    graphs = [bodies, make_missions(visits, instruments), make_instruments(instruments), make_people()]
    known = {row["id"] for row in read_table("missions.psv")}
    strays = ({visit["mission"] for visit in visits} | set(instruments)) - known
    if strays:
        raise SystemExit(f"not missions: {', '.join(sorted(strays))}")

    ontology = (HERE / "solar-system-ontology.ttl").read_text(encoding="utf-8")
    statements = [line for line in ontology.splitlines() if not line.startswith(("#", "@prefix"))]
    vocabulary = "\n".join("    " + line if line else "" for line in statements).strip("\n")
    head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    about = (f"<{BASE}dataset> a prov:Collection ;\n"
             '    dct:title "Solar system exploration"@en , "Erforschung des Sonnensystems"@de ;\n'
             '    dct:description "Bodies, missions and instruments; the bundled sample of Helve."@en ;\n'
             "    dct:license <https://creativecommons.org/publicdomain/zero/1.0/> ;\n"
             "    prov:hadMember graph:ontology , " + " , ".join(g.name for g in graphs) + " .\n")
    body = "\n".join(graph.text() for graph in graphs + [make_provenance(graphs)])
    check_references(body, ontology)
    note = "# Made by make_solar_system.py from tables/ and solar-system-ontology.ttl: edit those.\n"
    out = HERE / "solar-system.trig"
    document = f"{note}{head}\n{about}\ngraph:ontology {{\n{vocabulary}\n}}\n\n{body}"
    if sys.argv[1:] != ["--check"]:
        out.write_text(document, encoding="utf-8")
    elif out.read_text(encoding="utf-8") != document:
        raise SystemExit(f"{out.name} is not what the tables give: run examples/make_solar_system.py")


if __name__ == "__main__":
    main()
