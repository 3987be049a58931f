// Loads an N-Triples file into Oxigraph's in-memory store (wasm); prints seconds and triples as JSON.
// no_transaction is its fast path.
const fs = require("fs");
const path = require("path");

const folder = path.join(__dirname, "..", "node_modules", "oxigraph");
if (!fs.existsSync(folder)) {
  console.error("oxigraph is not installed (npm install in bench/)");
  process.exit(1);
}
const oxigraph = require(folder);
const started = process.hrtime.bigint();
const store = new oxigraph.Store();
const bytes = fs.readFileSync(process.argv[2]);
store.load(bytes, { format: "application/n-triples", no_transaction: true });
const seconds = Number(process.hrtime.bigint() - started) / 1e9;
const version = JSON.parse(fs.readFileSync(path.join(folder, "package.json"))).version;
console.log(JSON.stringify({ version, seconds, triples: store.size }));
