// readLines of Deno's old standard library, for DSPy's interpreter on machines that cannot fetch it.
// deno_imports.json puts it in its place.
export async function* readLines(reader: { read(into: Uint8Array): Promise<number | null> }) {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(1 << 16);
  let rest = "";
  for (;;) {
    const count = await reader.read(bytes);
    if (count === null) break;
    const lines = (rest + decoder.decode(bytes.subarray(0, count), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
