#!/usr/bin/env python3
"""TLS, HTTP/2, proxies and compression of the HTTP client, by requests of helve_http_probe to servers on loopback.

HELVE_HTTP_PROBE names the program. HTTP/2 is spoken by Debian's nghttpx; without it that part is skipped.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from loopback import Authority, Pages, Proxy, Site  # noqa: E402

PROBE = os.environ.get("HELVE_HTTP_PROBE", "")
NGHTTPX = shutil.which("nghttpx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


class TransportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.ours = Authority(cls.folder.name, "ours")
        cls.other = Authority(cls.folder.name, "other")
        cls.certificate = cls.ours.certificate("IP:127.0.0.1", "DNS:localhost", "DNS:example.test")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ask(self, *words):
        """What came of each address. The environment names a proxy that must not be used."""
        environment = {**os.environ, "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1", "NO_PROXY": ""}
        ran = subprocess.run([PROBE, *map(str, words)], stdout=subprocess.PIPE, env=environment, timeout=120, check=True)
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def is_refused(self, answer, *words):
        self.assertEqual(answer.get("fault"), "tls", answer)
        self.assertTrue(answer["hint"], answer)
        for word in words:
            self.assertIn(word, answer["error"])

    def test_a_certificate_of_the_authority_is_trusted(self):
        with Site(self.certificate) as site:
            answers = self.ask("--ca", self.ours.file, f"https://127.0.0.1:{site.port}/page", f"https://localhost:{site.port}/page")
            for answer in answers:
                self.assertEqual((answer.get("status"), answer.get("body")), (200, "this is /page"), answer)
            self.assertEqual(len(site.asked), 2)

    def test_other_certificates_are_not(self):
        with Site(self.certificate) as site:
            url = f"https://127.0.0.1:{site.port}/page"
            wrong, of_system, missing = self.ask("--ca", self.other.file, url, "--ca", "", url, "--ca", "/nowhere.pem", url)
            self.is_refused(wrong, "certificate", f"127.0.0.1:{site.port}")
            self.is_refused(of_system, "certificate")
            self.is_refused(missing, "/nowhere.pem")
            self.assertIn("ca_file", missing["hint"])
            self.assertEqual(site.asked, [])  # nothing was sent before the server was known

    def test_a_connection_is_not_used_under_another_trust(self):
        with Site(self.certificate) as site:
            url = f"https://127.0.0.1:{site.port}/page"
            first, second, third = self.ask("--ca", self.ours.file, url, "--ca", self.other.file, url, "--ca", self.ours.file, url)
            self.assertEqual(first.get("status"), 200, first)
            self.is_refused(second, "certificate")
            self.assertEqual(third.get("status"), 200, third)
            self.assertEqual(len(site.asked), 2)

    def test_a_certificate_of_another_name_is_refused(self):
        with Site(self.ours.certificate("DNS:elsewhere.test")) as site:
            by_number, by_name = self.ask("--ca", self.ours.file, f"https://127.0.0.1:{site.port}/page",
                                          f"https://localhost:{site.port}/page")
            self.is_refused(by_number, "127.0.0.1")
            self.is_refused(by_name, "localhost")
            self.assertEqual(site.asked, [])

    def test_connections_are_used_again(self):
        with Site(self.certificate) as site:
            answers = self.ask("--ca", self.ours.file, *[f"https://127.0.0.1:{site.port}/page?{i}" for i in range(5)])
            self.assertEqual([answer.get("status") for answer in answers], [200] * 5)
            self.assertEqual(len(site.asked), 5)
            self.assertEqual(site.connections, 1)

    def test_bodies_are_decompressed(self):
        for certificate in (None, self.certificate):
            with Site(certificate) as site:
                scheme = "https" if certificate else "http"
                answer, = self.ask("--ca", self.ours.file, f"{scheme}://127.0.0.1:{site.port}/gzip")
                self.assertEqual((answer["bytes"], answer["body"][:26]), (1000 * len("this is /gzip"), "this is /gzip" * 2), answer)

    def test_a_proxy_forwards(self):
        with Site() as site, Proxy(site.port) as proxy:
            # It knows names that are not known here.
            answer, = self.ask("--private", "no", "--proxy", f"http://127.0.0.1:{proxy.port}", "http://example.test/page")
            self.assertEqual(answer.get("body"), "this is /page", answer)
            self.assertEqual(proxy.asked, ["GET http://example.test/page HTTP/1.1"])
            self.assertEqual(site.asked, ["GET /page HTTP/1.1"])

    def test_a_proxy_tunnels_tls_and_sees_nothing_of_it(self):
        with Site(self.certificate) as site, Proxy(site.port) as proxy:
            good, wrong = self.ask("--proxy", f"http://127.0.0.1:{proxy.port}", "--ca", self.ours.file, "https://example.test/page?secret",
                                   "--ca", self.other.file, "https://example.test/page?secret")
            self.assertEqual((good.get("status"), good.get("body")), (200, "this is /page"), good)
            self.is_refused(wrong, "certificate")
            self.assertEqual(proxy.asked, ["CONNECT example.test:443 HTTP/1.1"] * 2)
            self.assertEqual(site.asked, ["GET /page?secret HTTP/1.1"])

    def test_without_a_proxy_the_environment_is_not_asked(self):
        with Site() as site:
            answer, = self.ask(f"http://127.0.0.1:{site.port}/page")
            self.assertEqual(answer.get("status"), 200, answer)
            self.assertEqual(site.asked, ["GET /page HTTP/1.1"])

    def test_a_proxy_that_refuses_the_tunnel(self):
        with Proxy(None) as proxy:
            answer, = self.ask("--proxy", f"http://127.0.0.1:{proxy.port}", "https://example.test/page")
            self.assertEqual(answer.get("fault"), "other", answer)
            self.assertIn("403", answer["error"])
            self.assertEqual(proxy.asked, ["CONNECT example.test:443 HTTP/1.1"])

    def test_a_proxy_that_is_not_there(self):
        answer, = self.ask("--proxy", "http://127.0.0.1:1", "http://example.test/page")
        self.assertEqual(answer.get("fault"), "connect", answer)

    @unittest.skipUnless(NGHTTPX, "there is no nghttpx (scripts/install-deps.sh integration)")
    def test_http2_is_spoken_and_connections_are_used_again(self):
        with Site() as site, Http2(site.port, self.certificate, self.folder.name) as front:
            urls = [f"https://127.0.0.1:{front.port}/page?{i}" for i in range(4)] + [f"https://127.0.0.1:{front.port}/large",
                                                                                     f"https://127.0.0.1:{front.port}/gzip"]
            answers = self.ask("--ca", self.ours.file, *urls)
            self.assertEqual([answer.get("status") for answer in answers], [200] * 6, answers)
            self.assertEqual(answers[4]["bytes"], len(Pages.LARGE))
            self.assertEqual(answers[5]["bytes"], 1000 * len("this is /gzip"))
            lines = front.log(6)
            self.assertEqual({line.split()[1] for line in lines}, {"h2"}, lines)
            self.assertEqual(len({line.split()[0] for line in lines}), 1, lines)  # one port of ours: one connection
            self.assertEqual(len(site.asked), 6)


class Http2:
    """nghttpx before a server on loopback; its log has the port of the client and the protocol."""

    def __init__(self, port, certificate, folder):
        self.backend, self.certificate = port, certificate
        self.file = Path(folder) / "nghttpx.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def __enter__(self):
        self.process = subprocess.Popen(
            [NGHTTPX, "--conf=/dev/null", f"--frontend=127.0.0.1,{self.port}", f"--backend=127.0.0.1,{self.backend}", "--workers=1",
             f"--accesslog-file={self.file}", "--accesslog-format=$remote_port $alpn", "--errorlog-file=/dev/null",
             *map(str, self.certificate)], stderr=subprocess.DEVNULL)
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.__exit__()
        raise AssertionError("nghttpx does not listen")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def log(self, count):
        """It is written behind the answers."""
        for _ in range(500):
            lines = self.file.read_text().splitlines() if self.file.exists() else []
            if len(lines) >= count:
                break
            time.sleep(0.02)
        return lines


if __name__ == "__main__":
    unittest.main()
