// The official conformance suite against `helve mcp --conformance`: all that a revision requires
// must pass; what it only reports too, but for the extension of tasks, which is not offered.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { start_http, temporary_folder } from './helve.mjs';

const suite = 'node_modules/@modelcontextprotocol/conformance';
const revisions = ['2025-11-25', '2026-07-28'];
const is_out_of_scope = (scenario) => scenario.startsWith('tasks-');

// What a revision requires of servers, and what is only reported: read from the suite's own tables.
function requirements(revision) {
  const required = [];
  const reported = [];
  let section = '';
  let scenario = '';
  const table = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  for (const line of table.split('\n')) {
    const head = /^(\w+):\s*$/.exec(line);
    const item = /^ {2}- (?:scenario: )?(\S+)$/.exec(line);
    if (head) section = head[1];
    if (item) scenario = item[1];
    if (item && section === 'server') required.push(scenario);
    if (section === 'not_scored' && /^ {4}leg: server$/.test(line)) reported.push(scenario);
  }
  return { required, reported };
}

// Runs all scenarios of a revision; gives the checks of each.
async function run_suite(url, revision) {
  const folder = temporary_folder();
  const what = ['server', '--url', url, '--requirements', revision, '-o', folder];
  const args = [join(suite, 'dist/index.js'), ...what];
  const output = await new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 120_000, maxBuffer: 1 << 26 }, (error, out, err) =>
      resolve(`${out}${err}${error?.killed ? 'the suite did not end' : ''}`),
    );
  });
  const checks = new Map();
  for (const name of readdirSync(folder, { recursive: true })) {
    const scenario = /(?:^|\/)server-([^/]+?)-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/.exec(name);
    if (scenario) checks.set(scenario[1], JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }
  return { checks, output };
}

const asking = [
  'capabilities',
  'elicitation',
  'list_roots',
  'multi_round',
  'multiple_inputs',
  'request_state',
  'sampling',
  'tampered_state',
];
const called = [
  'json_schema_2020_12_tool',
  'test_audio_content',
  'test_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
  'test_embedded_resource',
  'test_error_handling',
  'test_image_content',
  'test_logging_tool',
  'test_missing_capability',
  'test_multiple_content_types',
  'test_reconnection',
  'test_sampling',
  'test_simple_text',
  'test_streaming_elicitation',
  'test_tool_with_logging',
  'test_tool_with_progress',
  ...asking.map((what) => `test_input_required_result_${what}`),
];

const is_bad = ({ status }) => status === 'FAILURE' || status === 'WARNING';
const bad = (checks) => checks.filter(is_bad);
const told = (check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`;

let server;
before(async () => (server = await start_http(['--conformance'])));
after(async () => assert.equal(await server?.stop(), 0));

// Some scenarios pass on a server that lacks what they call.
test('the fixtures are there', async () => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { result } = await response.json();
  const listed = result.tools.map((tool) => tool.name);
  const source = readFileSync(join(suite, 'dist/index.js'), 'utf8');
  for (const name of called) {
    assert.ok(source.includes(name), `the suite does not call ${name}`);
    assert.ok(listed.includes(name), `the server has no ${name}`);
  }
});

for (const revision of revisions) {
  test(`revision ${revision}`, async (t) => {
    const { required, reported } = requirements(revision);
    assert.ok(required.length >= 30 && reported.length >= 3, 'the tables of the suite were read');
    const { checks, output } = await run_suite(server.url.href, revision);
    const passed = new Set();
    for (const scenario of [...required, ...reported.filter((name) => !is_out_of_scope(name))]) {
      await t.test(scenario, () => {
        const made = checks.get(scenario);
        assert.ok(made?.length > 0, `not run:\n${output.slice(-2000)}`);
        assert.deepEqual(bad(made).map(told), []);
        assert.ok(made.some((check) => check.status === 'SUCCESS'), 'nothing was checked');
        passed.add(scenario);
      });
    }
    const count = required.filter((scenario) => passed.has(scenario)).length;
    t.diagnostic(`${revision}: ${count} of ${required.length} required scenarios passed`);
    for (const scenario of reported) {
      const made = checks.get(scenario) ?? [];
      const scope = is_out_of_scope(scenario) ? ', out of scope' : '';
      const good = made.length - bad(made).length;
      t.diagnostic(`reported${scope}: ${scenario}: ${good} of ${made.length} checks`);
    }
  });
}
