// The Inspector's command line against the server: lists, a call, and its lint of the tools'
// schemas, in both eras, over stdio and over HTTP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';

import { patience, program, sample, start_http, temporary_folder } from './helve.mjs';

const launcher = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const question = '{"query":"ASK { ?s ?p ?o }"}';
const home = temporary_folder(); // it keeps a catalogue and secrets there

function inspect(target, era, ...args) {
  const all = [launcher, '--cli', '--format', 'json', '--protocol-era', era, ...args, ...target];
  const env = { ...process.env, HOME: home, MCP_CATALOG_PATH: `${home}/mcp.json` };
  return new Promise((resolve) => {
    const bounds = { env, timeout: patience, maxBuffer: 1 << 26 };
    execFile(process.execPath, all, bounds, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

async function check(target, era) {
  const ask = async (...args) => {
    const { status, stdout, stderr } = await inspect(target, era, ...args);
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}${stdout}`);
    const reply = JSON.parse(stdout);
    return { reply: reply.result ?? reply, stderr };
  };
  const [tools, found, resources, prompts] = await Promise.all([
    ask('--method', 'tools/list', '--strict'),
    ask('--method', 'tools/call', '--tool-name', 'sparql_query', '--tool-args-json', question),
    ask('--method', 'resources/list'),
    ask('--method', 'prompts/list'),
  ]);
  assert.ok(tools.reply.tools.some((tool) => tool.name === 'sparql_query'));
  assert.doesNotMatch(tools.stderr, /warning|error/i, 'the lint has something to say');
  assert.equal(found.reply.structuredContent.boolean, true);
  assert.ok(resources.reply.resources.some((resource) => resource.uri === 'helve://sources'));
  assert.ok(prompts.reply.prompts.some((prompt) => prompt.name === 'explore-this-graph'));
}

for (const era of ['legacy', 'modern']) {
  test(`${era}, stdio`, () => check([program, 'mcp', ...sample], era));
  test(`${era}, http`, async () => {
    const server = await start_http();
    try {
      await check([server.url.href], era);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}
