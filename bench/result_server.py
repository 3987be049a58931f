"""An endpoint that gives one result of many rows, from a file that is made once; for endpoint.py.

/sparql answers with the file as it is, /gzip with the same compressed; all but the query of the benchmark is answered with no rows.
The kernel sends the file from its cache, so that the server takes next to nothing of what is measured.
"""

import gzip
import os
import shutil
import socketserver
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

QUERY = "SELECT ?protein ?organism ?name ?mass WHERE { ?protein ?in ?organism ; ?called ?name ; ?weighs ?mass }"
MEDIA_TYPE = "application/sparql-results+json"
NO_ROWS = b'{"head":{"vars":[]},"results":{"bindings":[]}}'
HEAD = '{"head":{"link":[],"vars":["protein","organism","name","mass"]},"results":{"distinct":false,"ordered":true,"bindings":[\n'
ROW = ('{{"protein":{{"type":"uri","value":"http://purl.uniprot.org/uniprot/{0}"}},'
       '"organism":{{"type":"uri","value":"http://purl.uniprot.org/taxonomy/{1}"}},'
       '"name":{{"type":"literal","xml:lang":"en","value":"{2}"}},'
       '"mass":{{"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"{3}"}}}}')
WORDS = ("kinase", "transferase", "membrane", "ribosomal", "putative", "receptor", "hydrolase", "3\\\"-end", "b\\u00eata chain", "bêta-lactamase")


def row(number):
    """Proteins are all different, organisms few, names and masses in between; one name in a few has an escape or an accent."""
    mixed = number * 2654435761 % 2**32
    name = f"{WORDS[mixed % 7]} {WORDS[mixed // 7 % 10]} protein {mixed // 70 % 40000}"
    return ROW.format(f"A0A{number:07X}", 9000 + mixed % 2000, name, 5000 + mixed // 16 % 90000)


def make_results(folder, rows):
    """The file of so many rows and its compressed twin, made if they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{rows}.srj"
    if not path.exists():
        draft = path.with_suffix(".draft")
        with open(draft, "w", encoding="utf-8") as file:
            file.write(HEAD)
            for number in range(rows):
                file.write(row(number) + (",\n" if number + 1 < rows else "\n"))
            file.write("]}}\n")
        draft.rename(path)
    packed = path.with_suffix(".srj.gz")
    if not packed.exists():
        draft = packed.with_suffix(".draft")
        with open(path, "rb") as plain, gzip.open(draft, "wb", compresslevel=6) as file:
            shutil.copyfileobj(plain, file, 1 << 20)
        draft.rename(packed)
    return path, packed


def handler(path, packed):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(urlsplit(self.path).query)

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

        def answer(self, form):
            asked = parse_qs(form).get("query", [form])[0]
            is_whole = " ".join(asked.split()).startswith("SELECT ?protein ?organism") and "OFFSET" not in asked
            if not is_whole:
                self.begin(len(NO_ROWS), False)
                self.wfile.write(NO_ROWS)
                return
            is_packed = urlsplit(self.path).path == "/gzip"
            with open(packed if is_packed else path, "rb") as file:
                self.begin(os.fstat(file.fileno()).st_size, is_packed)
                self.wfile.flush()
                self.connection.sendfile(file)

        def begin(self, size, is_packed):
            self.send_response(200)
            self.send_header("Content-Type", MEDIA_TYPE)
            if is_packed:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(size))
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


def serve(path, packed, tell_port):
    """Serves until the process is ended; `tell_port(port)` when it listens."""
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler(path, packed)) as server:
        tell_port(server.server_address[1])
        server.serve_forever()
