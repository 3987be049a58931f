// Runs queries on Oxigraph's in-memory store (wasm): query_oxigraph.js DATA ROUNDS QUERY...; prints JSON as
// `helve bench-query` does.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const folder = path.join(__dirname, "..", "node_modules", "oxigraph");
if (!fs.existsSync(folder)) {
  console.error("oxigraph is not installed (npm install in bench/)");
  process.exit(1);
}
const oxigraph = require(folder);

const now = () => Number(process.hrtime.bigint()) / 1e9;

// The same for the same rows in any order.
function digest(rows) {
  let total = 0n;
  for (const row of rows) {
    const text = [...row.values()].map((term) => (term ? term.toString() : "")).join("\t");
    total += crypto.createHash("md5").update(text).digest().readBigUInt64BE(0);
  }
  return BigInt.asUintN(64, total).toString(16).padStart(16, "0");
}

const [data, rounds, ...files] = process.argv.slice(2);
const store = new oxigraph.Store();
let started = now();
store.load(fs.readFileSync(data), { format: "application/n-triples", no_transaction: true });
const version = JSON.parse(fs.readFileSync(path.join(folder, "package.json"))).version;
const report = { version, load_seconds: now() - started, queries: {} };
for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const times = [];
  let rows = [];
  for (let round = 0; round < Number(rounds); ++round) {
    started = now();
    rows = store.query(text);
    times.push(now() - started);
    if (times.reduce((a, b) => a + b) > 20) break;
  }
  report.queries[path.basename(file, ".rq")] = {
    seconds: Math.min(...times), cold_seconds: times[0], rows: rows.length, digest: digest(rows),
  };
}
console.log(JSON.stringify(report));
