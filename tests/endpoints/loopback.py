"""Servers on loopback that count what reaches them, and certificates for them: for transport_test.py.

Plain and over TLS (Site), a proxy that forwards and tunnels to one place whatever is asked for (Proxy), authorities and
certificates by openssl (Authority).
"""

import gzip
import http.server
import select
import socket
import socketserver
import ssl
import subprocess
import threading
from pathlib import Path


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


class Authority:
    """A certificate authority in a folder of its own; `file` is what its clients trust."""

    def __init__(self, folder, name):
        self.folder, self.name = Path(folder) / name, name
        self.folder.mkdir()
        self.file = self.folder / "ca.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", self.folder / "ca.key", "-out", self.file)

    def certificate(self, *names):
        """Key and certificate, with the chain, for such names: "DNS:example.test", "IP:127.0.0.1"."""
        stem = self.folder / names[0].replace(":", "_")
        key, request, made = (stem.with_name(stem.name + end) for end in (".key", ".csr", ".pem"))
        extensions = stem.with_name(stem.name + ".ext")
        extensions.write_text(f"subjectAltName={','.join(names)}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.folder / "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", extensions, "-out", made)
        return key, made


class Server(socketserver.ThreadingTCPServer):
    """In a thread; counts connections and keeps the first lines of requests."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.port = self.server_address[1]
        self.connections = 0
        self.asked = []

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # clients that do not trust us hang up


class Pages(http.server.BaseHTTPRequestHandler):
    """/page, /gzip (compressed where the client can) and /large (some megabytes)."""

    protocol_version = "HTTP/1.1"
    LARGE = b"0123456789abcdef" * (1 << 16) * 3

    def do_GET(self):
        self.server.asked.append(self.requestline)
        path = self.path.split("?")[0]
        body = self.LARGE if path == "/large" else f"this is {path}".encode()
        self.send_response(200)
        if path == "/gzip" and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body * 1000)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Site(Server):
    def __init__(self, certificate=None):
        super().__init__(Pages)
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate[1], certificate[0])

    def finish_request(self, request, client_address):
        if not self.context:
            super().finish_request(request, client_address)
            return
        with self.context.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


class Proxy(Server):
    """Sends everything to `port`, or refuses tunnels where it is None; `asked` says what it was asked for."""

    def __init__(self, port):
        super().__init__(Forwarder)
        self.to = port


class Forwarder(http.server.BaseHTTPRequestHandler):
    def do_CONNECT(self):
        self.server.asked.append(self.requestline)
        if self.server.to is None:
            self.send_error(403)
            return
        with socket.create_connection(("127.0.0.1", self.server.to)) as there:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            ends = {self.connection: there, there: self.connection}
            while True:
                for one in select.select(list(ends), [], [])[0]:
                    data = one.recv(1 << 16)
                    if not data:
                        return
                    ends[one].sendall(data)

    def do_GET(self):
        self.server.asked.append(self.requestline)
        path = "/" + self.path.split("/", 3)[3]
        with socket.create_connection(("127.0.0.1", self.server.to)) as there:
            there.sendall(f"GET {path} HTTP/1.1\r\nHost: there\r\nConnection: close\r\n\r\n".encode())
            while data := there.recv(1 << 16):
                self.wfile.write(data)

    def log_message(self, *_):
        pass
