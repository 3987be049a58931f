#!/usr/bin/env python3
"""A database of an imaginary observatory, the same rows in three dialects: observatory.py sqlite|postgresql|mysql prints its SQL.

Made to be awkward: composite keys, checks, comments, views, NULLs, integers beyond 2^53, exact numerics, instants with a zone,
bytes, JSON and arrays. The same bytes each time. Neighbour: fixtures.py loads it.
"""

import json
import random
import sys
from datetime import datetime, timedelta, timezone

SEED = 20260707
RUN_BASE = 9_007_199_254_740_993  # 2^53 + 1: doubles cannot tell it from its neighbours

TYPES = {
    "sqlite": {"int": "INTEGER", "big": "BIGINT", "num": "NUMERIC({})", "real": "REAL", "text": "TEXT", "name": "VARCHAR({})",
               "date": "DATE", "instant": "TIMESTAMP", "bool": "BOOLEAN", "bytes": "BLOB", "json": "JSON", "list": "JSON"},
    "postgresql": {"int": "integer", "big": "bigint", "num": "numeric({})", "real": "double precision", "text": "text",
                   "name": "varchar({})", "date": "date", "instant": "timestamp with time zone", "bool": "boolean", "bytes": "bytea",
                   "json": "jsonb", "list": "text[]"},
    "mysql": {"int": "INT", "big": "BIGINT", "num": "DECIMAL({})", "real": "DOUBLE", "text": "TEXT", "name": "VARCHAR({})",
              "date": "DATE", "instant": "DATETIME", "bool": "BOOLEAN", "bytes": "VARBINARY(64)", "json": "JSON", "list": "JSON"},
}

# Table, its comment, columns (name, type, what follows, comment), constraints.
TABLES = [
    ("site", "Places with telescopes", [
        ("site_id", "int", "NOT NULL PRIMARY KEY", ""),
        ("code", "name:8", "NOT NULL UNIQUE", "IAU code of the observatory"),
        ("site_name", "name:80", "NOT NULL", ""),
        ("country_code", "name:2", "NOT NULL", "ISO 3166"),
        ("latitude", "num:9,6", "NOT NULL", "degrees north"),
        ("longitude", "num:9,6", "NOT NULL", "degrees east"),
        ("altitude_m", "int", "NOT NULL", "metres above the sea"),
        ("opened_on", "date", "", ""),
    ], ["CONSTRAINT site_altitude CHECK (altitude_m BETWEEN -500 AND 6000)"]),
    ("telescope", "Telescopes, also those out of use", [
        ("telescope_id", "int", "NOT NULL PRIMARY KEY", ""),
        ("site_id", "int", "NOT NULL", ""),
        ("telescope_name", "name:80", "NOT NULL", ""),
        ("aperture_m", "num:6,3", "NOT NULL", "diameter of the mirror in metres"),
        ("first_light", "date", "", "NULL: not yet"),
        ("is_active", "bool", "NOT NULL", ""),
        ("settings", "json", "", "as the control system keeps them"),
    ], ["FOREIGN KEY (site_id) REFERENCES site (site_id)", "CONSTRAINT telescope_aperture CHECK (aperture_m > 0)"]),
    ("instrument", "What is mounted where", [
        ("telescope_id", "int", "NOT NULL", ""),
        ("slot_no", "int", "NOT NULL", ""),
        ("instrument_name", "name:80", "NOT NULL", ""),
        ("kind", "name:20", "NOT NULL", ""),
        ("pixel_count", "big", "", "NULL for single detectors"),
        ("serial_key", "bytes", "NOT NULL", "as engraved"),
    ], ["PRIMARY KEY (telescope_id, slot_no)", "FOREIGN KEY (telescope_id) REFERENCES telescope (telescope_id)",
        "CONSTRAINT instrument_kind CHECK (kind IN ('camera', 'spectrograph', 'photometer'))"]),
    ("person", "Observers and engineers", [
        ("person_id", "int", "NOT NULL PRIMARY KEY", ""),
        ("full_name", "name:120", "NOT NULL", ""),
        ("email", "name:120", "UNIQUE", ""),
        ("mentor_id", "int", "", "who brought them in"),
        ("joined_on", "date", "NOT NULL", ""),
        ("languages", "list", "NOT NULL", "ISO 639"),
    ], ["FOREIGN KEY (mentor_id) REFERENCES person (person_id)"]),
    ("proposal", "Applications for time", [
        ("proposal_id", "int", "NOT NULL PRIMARY KEY", ""),
        ("lead_id", "int", "NOT NULL", ""),
        ("title", "name:200", "NOT NULL", ""),
        ("abstract", "text", "", ""),
        ("hours_requested", "num:7,2", "NOT NULL", ""),
        ("status", "name:12", "NOT NULL", ""),
        ("submitted_at", "instant", "NOT NULL", ""),
    ], ["FOREIGN KEY (lead_id) REFERENCES person (person_id)",
        "CONSTRAINT proposal_status CHECK (status IN ('draft', 'submitted', 'accepted', 'rejected'))"]),
    ("observing_run", "One night or a part of it", [
        ("run_id", "big", "NOT NULL PRIMARY KEY", "beyond what a double holds"),
        ("proposal_id", "int", "NOT NULL", ""),
        ("telescope_id", "int", "NOT NULL", ""),
        ("slot_no", "int", "NOT NULL", ""),
        ("started_at", "instant", "NOT NULL", ""),
        ("ended_at", "instant", "", "NULL: broken off"),
        ("sky_quality", "real", "", "magnitudes per square arc second"),
    ], ["FOREIGN KEY (proposal_id) REFERENCES proposal (proposal_id)",
        "FOREIGN KEY (telescope_id, slot_no) REFERENCES instrument (telescope_id, slot_no)",
        "CONSTRAINT run_order CHECK (ended_at IS NULL OR ended_at >= started_at)"]),
    ("measurement", "Single exposures", [
        ("run_id", "big", "NOT NULL", ""),
        ("sequence_no", "int", "NOT NULL", ""),
        ("target_name", "name:40", "NOT NULL", ""),
        ("magnitude", "num:12,8", "", "exact, as reduced"),
        ("flux", "real", "", ""),
        ("photon_count", "big", "NOT NULL", ""),
        ("raw_header", "bytes", "", ""),
    ], ["PRIMARY KEY (run_id, sequence_no)", "FOREIGN KEY (run_id) REFERENCES observing_run (run_id)"]),
    ("run_staff", "Who was there", [
        ("run_id", "big", "NOT NULL", ""),
        ("person_id", "int", "NOT NULL", ""),
        ("duty", "name:20", "NOT NULL", ""),
    ], ["PRIMARY KEY (run_id, person_id)", "FOREIGN KEY (run_id) REFERENCES observing_run (run_id)",
        "FOREIGN KEY (person_id) REFERENCES person (person_id)"]),
]

INDEXES = ["CREATE INDEX measurement_target ON measurement (target_name)", "CREATE INDEX run_start ON observing_run (started_at)"]
VIEWS = [
    "CREATE VIEW active_telescope AS SELECT telescope_id, telescope_name, site_name, aperture_m FROM telescope "
    "JOIN site ON site.site_id = telescope.site_id WHERE is_active = {true}",
    "CREATE VIEW run_summary AS SELECT r.run_id, r.proposal_id, COUNT(m.sequence_no) AS exposures, SUM(m.photon_count) AS photons "
    "FROM observing_run r LEFT JOIN measurement m ON m.run_id = r.run_id GROUP BY r.run_id, r.proposal_id",
]

SITES = [("Cerro Almar", "CL"), ("Roque Blanco", "ES"), ("Mount Tarn", "AU"), ("Pico Serra", "PT"), ("Hochfirst", "CH"), ("Ny-Vik", "NO")]
NAMES = ["Ada", "Björn", "Chiara", "Dmitri", "Élodie", "Fatma", "Goro", "Håkon", "Inês", "Jürgen"]
SURNAMES = ["O'Neill", "Nakamura", "Şahin", "García", "Wójcik", "Lindqvist", "Moreau", "Rossi"]
TARGETS = ["M 31", "Vega", "NGC 7000", "Sgr A*", "3C 273", "51 Peg", "TRAPPIST-1", "α Cen A", "Barnard's Star"]


class Bytes(bytes):
    pass


class Json(dict):
    pass


class Instant(datetime):
    pass


def instant(day, second=0):
    moment = datetime(2019, 1, 1, 18, tzinfo=timezone.utc) + timedelta(days=day, seconds=second)
    return Instant(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, tzinfo=timezone.utc)


def day_text(number):
    return (datetime(1990, 1, 1) + timedelta(days=number)).date().isoformat()


def numeric(value, places):
    sign, value = ("-", -value) if value < 0 else ("", value)
    scale = 10**places
    return f"#{sign}{value // scale}.{value % scale:0{places}d}"  # '#': written without quotation marks


def rows_of():
    """Rows by table; every value as a plain Python value, or one of the classes above."""
    dice = random.Random(SEED)
    rows = {name: [] for name, *_ in TABLES}
    for number, (name, country) in enumerate(SITES, 1):
        rows["site"].append([number, f"H{number:02d}", name, country, numeric(dice.randint(-70_000_000, 78_000_000), 6),
                             numeric(dice.randint(-179_000_000, 179_000_000), 6), dice.randint(100, 4200),
                             None if number == 6 else day_text(dice.randint(0, 8000))])
    for number in range(1, 15):
        settings = Json(mode=dice.choice(["queue", "visitor"]), gain=dice.randint(1, 9), filters=["B", "V", "R"])
        rows["telescope"].append([number, (number - 1) % 6 + 1, f"Telescope {number}", numeric(dice.randint(200, 10_400), 3),
                                  None if number == 14 else day_text(dice.randint(3000, 12000)), number % 4 != 0,
                                  None if number % 5 == 0 else settings])
    for number in range(1, 31):
        slot = (number - 1) // 14 + 1
        kind = dice.choice(["camera", "spectrograph", "photometer"])
        rows["instrument"].append([(number - 1) % 14 + 1, slot, f"{kind.title()} {number}", kind,
                                   None if kind == "photometer" else dice.randint(10**6, 10**10), Bytes(dice.randbytes(8))])
    for number in range(1, 41):
        rows["person"].append([number, f"{dice.choice(NAMES)} {dice.choice(SURNAMES)}",
                               None if number % 7 == 0 else f"person{number}@observatory.example",
                               None if number < 5 else dice.randint(1, number - 1), day_text(dice.randint(5000, 12500)),
                               dice.sample(["en", "es", "de", "ja", "pt", "tr"], dice.randint(1, 3))])
    for number in range(1, 61):
        title = f"{dice.choice(['Survey', 'Deep study', 'Monitoring'])} of {dice.choice(TARGETS)}, part {number}"
        abstract = f"We ask for time.\nLine two; 100 % of it, \\ and \"quotes\" {number}."
        rows["proposal"].append([number, dice.randint(1, 40), title, None if number % 3 == 0 else abstract,
                                 numeric(dice.randint(50, 99_999), 2),
                                 dice.choice(["draft", "submitted", "accepted", "accepted", "rejected"]),
                                 instant(dice.randint(0, 900), dice.randint(0, 40_000))])
    for number in range(300):
        telescope, slot = rows["instrument"][dice.randint(0, 29)][:2]
        start = dice.randint(0, 1500)
        rows["observing_run"].append([RUN_BASE + number, dice.randint(1, 60), telescope, slot, instant(start),
                                      None if number % 11 == 0 else instant(start, dice.randint(600, 36_000)),
                                      None if number % 13 == 0 else dice.randint(1500, 2250) / 100])
        for sequence in range(1, dice.randint(2, 24)):
            rows["measurement"].append([RUN_BASE + number, sequence, dice.choice(TARGETS),
                                        None if sequence % 9 == 0 else numeric(dice.randint(-200_000_000, 2_900_000_000), 8),
                                        None if sequence % 10 == 0 else dice.randint(1, 10**6) / 64, dice.randint(0, 4 * 10**17 // 10),
                                        Bytes(dice.randbytes(6)) if sequence % 4 == 0 else None])
        for person in dice.sample(range(1, 41), dice.randint(1, 3)):
            rows["run_staff"].append([RUN_BASE + number, person, dice.choice(["observer", "operator", "guest"])])
    return rows


def text_literal(text, dialect):
    text = text.replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if dialect == "mysql" else text) + "'"


def literal(value, dialect):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return {"postgresql": str(value).upper()}.get(dialect, str(int(value)))
    if isinstance(value, Bytes):
        return f"'\\x{value.hex()}'" if dialect == "postgresql" else f"X'{value.hex()}'"
    if isinstance(value, Instant):
        return f"'{value:%Y-%m-%d %H:%M:%S}" + ("+00'" if dialect == "postgresql" else "'")
    if isinstance(value, list) and dialect == "postgresql":
        return "ARRAY[" + ", ".join(text_literal(item, dialect) for item in value) + "]"
    if isinstance(value, (Json, list)):
        return text_literal(json.dumps(value), dialect)
    if isinstance(value, str):
        return value[1:] if value.startswith("#") else text_literal(value, dialect)
    return repr(value)


def column_type(spelled, dialect):
    name, _, size = spelled.partition(":")
    return TYPES[dialect][name].format(size)


def table_sql(name, comment, columns, constraints, dialect):
    lines = []
    for column, kind, rest, remark in columns:
        line = f"  {column} {column_type(kind, dialect)} {rest}".rstrip()
        if remark and dialect == "mysql":
            line += f" COMMENT {text_literal(remark, dialect)}"
        lines.append((line, remark))
    lines += [(f"  {constraint}", "") for constraint in constraints]
    body = ""
    for number, (line, remark) in enumerate(lines):
        body += line + ("," if number + 1 < len(lines) else "")
        body += (f" -- {remark}" if remark and dialect == "sqlite" else "") + "\n"
    head = f"CREATE TABLE {name} ({' -- ' + comment if dialect == 'sqlite' else ''}\n{body})"
    if dialect == "mysql":
        return f"{head} COMMENT {text_literal(comment, dialect)};\n"
    if dialect == "sqlite":
        return f"{head};\n"
    notes = f"COMMENT ON TABLE {name} IS {text_literal(comment, dialect)};\n"
    for column, _, _, remark in columns:
        if remark:
            notes += f"COMMENT ON COLUMN {name}.{column} IS {text_literal(remark, dialect)};\n"
    return f"{head};\n{notes}"


def script(dialect):
    parts = [table_sql(name, comment, columns, constraints, dialect) for name, comment, columns, constraints in TABLES]
    rows = rows_of()
    for name, _, columns, _ in TABLES:
        names = ", ".join(column for column, *_ in columns)
        for start in range(0, len(rows[name]), 200):
            values = ",\n".join("(" + ", ".join(literal(value, dialect) for value in row) + ")" for row in rows[name][start:start + 200])
            parts.append(f"INSERT INTO {name} ({names}) VALUES\n{values};\n")
    parts += [f"{index};\n" for index in INDEXES]
    parts += [f"{view.format(true='TRUE' if dialect == 'postgresql' else '1')};\n" for view in VIEWS]
    if dialect == "postgresql":
        parts.append("ANALYZE;\n")
    return "".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in TYPES:
        sys.exit("usage: observatory.py sqlite|postgresql|mysql")
    sys.stdout.write(script(sys.argv[1]))
