// Oxigraph's in-memory store (wasm): oxigraph_wasm.js query DATA ROUNDS LIMIT QUERY...; see protocol.py.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const folder = path.join(__dirname, "..", "node_modules", "oxigraph");
if (!fs.existsSync(folder)) {
  console.error("oxigraph is not installed (bench/setup.sh)");
  process.exit(1);
}
const oxigraph = require(folder);

const ENOUGH_SECONDS = 20, SHORT_SECONDS = 0.1, SHORT_ROUNDS = 20; // as in protocol.py
const now = () => Number(process.hrtime.bigint()) / 1e9;
const event = (kind, members) => fs.writeSync(1, JSON.stringify({ event: kind, ...members }) + "\n");

// The same for the same rows in any order.
function digest(rows) {
  let total = 0n;
  for (const row of rows) {
    const text = [...row.values()].map((term) => (term ? term.toString() : "")).join("\t");
    total += crypto.createHash("md5").update(text).digest().readBigUInt64BE(0);
  }
  return BigInt.asUintN(64, total).toString(16).padStart(16, "0");
}

function answer(store, file, rounds) {
  const query = path.basename(file, ".rq");
  const text = fs.readFileSync(file, "utf8");
  let rows = [];
  for (let round = 0, total = 0; round < rounds * SHORT_ROUNDS; ++round) {
    if (total > (round < rounds ? ENOUGH_SECONDS : SHORT_SECONDS)) break;
    const started = now();
    rows = store.query(text);
    const seconds = now() - started;
    total += seconds;
    event("run", { query, seconds });
  }
  event("answer", { query, rows: rows.length, digest: digest(rows) });
}

// The file in pieces of whole lines: a string or a wasm buffer cannot hold a large one.
function load(store, data) {
  const file = fs.openSync(data);
  const buffer = Buffer.alloc(64 << 20);
  let kept = 0;
  for (;;) {
    const got = fs.readSync(file, buffer, kept, buffer.length - kept);
    const end = got === 0 ? kept : buffer.lastIndexOf(10, kept + got - 1) + 1;
    if (end > 0) store.load(buffer.subarray(0, end), { format: "application/n-triples", no_transaction: true });
    if (got === 0) break;
    buffer.copy(buffer, 0, end, kept + got);
    kept += got - end;
  }
  fs.closeSync(file);
}

const [, data, rounds, , ...files] = process.argv.slice(2);
const version = JSON.parse(fs.readFileSync(path.join(folder, "package.json"))).version;
const store = new oxigraph.Store();
const started = now();
load(store, data);
event("open", { seconds: now() - started, triples: store.size, version });
for (const file of files) {
  try {
    answer(store, file, Number(rounds));
  } catch (error) {
    event("failed", { query: path.basename(file, ".rq"), message: String(error).split("\n")[0].slice(0, 200) });
  }
}
