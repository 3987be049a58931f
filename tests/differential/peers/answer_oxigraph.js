// Answers queries with Oxigraph: one JSON object a line in, one out (see ../README.md). argv[2] is the
// folder of the npm package.
const readline = require("readline");
const oxigraph = require(process.argv[2]);

function term(node) {
  if (node === undefined) return null;
  if (node.termType === "NamedNode") return { type: "uri", value: node.value };
  if (node.termType === "BlankNode") return { type: "bnode", value: node.value };
  const out = { type: "literal", value: node.value };
  if (node.language) out["xml:lang"] = node.language;
  else out.datatype = node.datatype.value;
  return out;
}

function answer(store, query) {
  const form = /^\s*(?:PREFIX\s+\S+\s+\S+\s+)*(\w+)/.exec(query)[1].toUpperCase();
  if (form !== "SELECT") {
    const result = store.query(query);
    if (typeof result === "boolean") return { kind: "boolean", answer: result };
    return { kind: "graph", triples: result.map((t) => [term(t.subject), term(t.predicate), term(t.object)]) };
  }
  // Through JSON, which has the variables in order.
  const result = JSON.parse(store.query(query, { results_format: "json" }));
  const names = result.head.vars;
  const rows = result.results.bindings.map((row) => names.map((name) => row[name] ?? null));
  return { kind: "solutions", vars: names, rows };
}

let data = null;
let store = null;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  let reply;
  try {
    if (request.data !== data) {
      store = new oxigraph.Store();
      store.load(request.data, { format: "application/n-quads" });
      data = request.data;
    }
    reply = answer(store, request.query);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) process.exit(1); // a panic: it answers nothing more
    reply = { error: String(error).slice(0, 500) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
});
