"""helve.memory: a bank in a file, through all of its commands."""

import http.server
import json
import tempfile
import threading
import unittest
from pathlib import Path

from helve import errors
from helve.memory import Memory


class Banks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bank = Memory(self.folder / "bank.db")

    def add(self, title="Count before exporting", content="Ask for COUNT(*) first.", **options):
        return self.bank.add(title, "Before any large export.", content, **options)

    def test_a_lesson_is_kept_and_found(self):
        added = self.add(src="success", tag=["export", "-odd"], domain="uniprot")
        self.assertTrue(added.is_new)
        self.assertFalse(self.add(src="success").is_new)
        [hit] = self.bank.search("how to export")
        self.assertEqual((hit.id, hit.title, hit.src), (added.id, "Count before exporting", "success"))
        self.assertGreater(hit.score, 0)
        self.assertEqual(self.bank.search("export", src="failure"), [])
        [item] = self.bank.get(added.id)
        self.assertEqual((item.tags, item.domain), (["export", "-odd"], "uniprot"))
        self.assertEqual(self.bank.stats().active, 1)

    def test_words_that_look_like_options(self):
        added = self.add(title="-x --json", content="--bank")
        self.assertEqual(self.bank.search("--bank", limit=1)[0].id, added.id)

    def test_ids_that_look_like_options(self):
        self.add()
        other = self.folder / "other.db"
        for work in (self.bank.get, self.bank.edit, self.bank.forget, self.bank.merge, self.bank.history):
            for word in ("--help", f"--bank={other}"):
                with self.subTest(f"{work.__name__} {word}"), self.assertRaises(errors.InvalidInput):
                    work(word)
        for change in ("--help", "1", 1.0, True, [1]):
            with self.subTest(change), self.assertRaisesRegex(TypeError, "number of a change, an int"):
                self.bank.undo(change)
        with self.assertRaises(errors.InvalidInput):
            self.bank.undo(-1)
        self.assertEqual(self.bank.stats().active, 1)

    def test_texts_that_have_no_bytes(self):
        with self.assertRaisesRegex(errors.InvalidInput, "^title has"):
            self.add(title="\ud800")
        with self.assertRaisesRegex(errors.InvalidInput, "^content has a NUL"):
            self.add(content="a\0b")
        with self.assertRaisesRegex(errors.InvalidInput, "^item 2 of items has"):
            self.bank.import_([{"title": "a"}, {"title": "\udc00"}])
        with self.assertRaisesRegex(errors.InvalidInput, "^bank has"):
            Memory("\ud800").stats()

    def test_changes_are_recorded_and_undone(self):
        first = self.add()
        edited = self.bank.edit(first.id, content="Other words.", tag="new")
        self.assertNotEqual(edited.id, first.id)
        undone = self.bank.undo(edited.change)
        self.assertEqual([hit.id for hit in self.bank.search("export")], [first.id])
        forgotten = self.bank.forget(first.id)
        self.assertEqual(forgotten.retracted, [first.id])
        with self.assertRaises(errors.Denied) as caught:
            self.add()
        self.assertIn("history", caught.exception.hint)
        self.bank.undo()
        kinds = [(change.change, change.kind) for change in self.bank.history(first.id)]
        self.assertEqual(kinds[1:], [(forgotten.changes[0], "retract"), (undone.change, "undo"),
                                     (edited.change, "edit"), (first.change, "add")])
        self.assertEqual(len(self.bank.history(limit=1)), 1)

    def test_quarantine(self):
        id = self.add().id
        self.bank.edit(id, quarantine=True)
        self.assertEqual(self.bank.search("export"), [])
        self.assertEqual(len(self.bank.search("export", all=True)), 1)
        self.bank.edit(id, verified=True)
        self.assertEqual(len(self.bank.search("export")), 1)

    def test_upkeep(self):
        seeded = self.bank.seed()
        self.assertEqual((seeded.added, self.bank.seed().added), (18, 0))
        query = "PREFIX sol: <https://helve.example/solar/> SELECT ?x { ?x sol:orbits ?y }"
        one = self.add("Bodies that orbit another", query, src="success", domain="sample")
        two = self.add("Bodies that orbit others", query + " ", src="success", domain="sample")
        plan = self.bank.consolidate(dry_run=True)
        self.assertEqual((len(plan.pairs), plan.is_applied, plan.changes), (1, False, []))
        trials = self.bank.verify("sample:").trials
        self.assertEqual({trial.id: trial.state for trial in trials}, {one.id: "passed", two.id: "passed"})
        self.assertEqual(self.bank.merge(one.id, two.id).superseded, [two.id])
        self.assertEqual(self.bank.consolidate().pairs, [])
        plan = self.bank.forget(keep=12, dry_run=True)
        self.assertEqual((len(plan.evicted), plan.is_applied), (8, False))
        self.assertEqual(self.bank.forget(keep=12).evicted, plan.evicted)
        self.assertEqual(self.bank.stats()["items"], 12)

    def test_export_and_import(self):
        id = self.add(tag="é").id
        items = self.bank.export()
        self.assertEqual([item["id"] for item in items], [id])
        plain = self.bank.export(plain=True)[0]
        self.assertEqual(set(plain), {"id", "title", "desc", "content", "src", "tags"})
        other = Memory(self.folder / "other.db")
        self.assertEqual(other.import_(items).added, 1)
        self.assertEqual(other.import_(items).existing, 1)
        (self.folder / "items.json").write_text(json.dumps(items))
        self.assertEqual(Memory(self.folder / "third.db").import_(self.folder / "items.json").added, 1)
        self.assertEqual(other.get(id)[0].tags, ["é"])

    def test_backup(self):
        id = self.add().id
        copy = self.bank.backup(self.folder / "copy.db")
        self.assertEqual(Memory(copy).get(id)[0].id, id)
        with self.assertRaises(errors.HelveError):
            self.bank.backup(copy)

    def test_mistakes(self):
        with self.assertRaises(errors.InvalidInput):
            self.add(title="")
        self.add()
        with self.assertRaises(errors.NotFound):
            self.bank.get("0123456789ab")
        with self.assertRaises(errors.InvalidInput):
            self.bank.forget()
        with self.assertRaisesRegex(TypeError, r"search\(\) .*'limits'; did you mean 'limit'"):
            self.bank.search("x", limits=3)
        with self.assertRaisesRegex(TypeError, r"import_\(\)"):
            self.bank.import_("x", oddity=3)
        with self.assertRaises(errors.InvalidInput):
            self.bank.search("x", ranker="best")

    def test_vectors(self):
        class Embeddings(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
                rows = [{"index": i, "embedding": [float(len(text)), 1.0]} for i, text in enumerate(texts)]
                body = json.dumps({"data": rows, "model": request["model"]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.add()
        where = {"embeddings": f"http://127.0.0.1:{server.server_address[1]}/v1/embeddings",
                 "embedding_model": "m"}
        self.assertEqual(self.bank.embed(**where).embedded, 1)
        self.assertEqual(self.bank.embed(**where).embedded, 0)
        self.assertEqual(len(self.bank.search("export", ranker="fusion", **where)), 1)


if __name__ == "__main__":
    unittest.main()
