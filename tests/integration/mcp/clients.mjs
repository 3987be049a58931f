// What agents' programs do with the server, done with the official clients (peers.mjs).
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { temporary_folder, until, until_idle } from './helve.mjs';
import { connect_by_probing, peers } from './peers.mjs';

// Runs for hours unless it is stopped.
const endless = {
  query: `SELECT (COUNT(*) AS ?n) {
    ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l
    FILTER(STRLEN(CONCAT(STR(?c), STR(?f), STR(?i), STR(?l))) = 7) }`,
  timeout: 300,
  validate: false,
};
const planets = 'SELECT ?planet { ?planet a sol:TerrestrialPlanet }';

const text_of = (result) => result.content.map((block) => block.text ?? '').join('\n');
const increases = (numbers) => numbers.every((number, i) => i === 0 || number > numbers[i - 1]);

async function check_introduction({ client, peer }) {
  assert.equal(client.getServerVersion().name, 'helve');
  const instructions = client.getInstructions();
  assert.ok(instructions.length > 100 && Buffer.byteLength(instructions) < 2048);
  const { tools, resources, prompts, completions } = client.getServerCapabilities();
  assert.ok(tools && resources?.subscribe && prompts && completions);
  const spoken = peer.era === 'modern' ? client.getNegotiatedProtocolVersion() : peer.revision;
  assert.equal(spoken, peer.revision);
}

async function check_tools({ client, call }) {
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 5 && tools.length <= 10, `${tools.length} tools`);
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.annotations, tool.name);
    assert.equal(tool.annotations.readOnlyHint, true, tool.name);
    assert.equal(tool.outputSchema?.type, 'object', tool.name);
  }
  // The client checks structured content against the schema that it has listed.
  const found = await call('sparql_query', { query: planets });
  assert.equal(found.isError ?? false, false, text_of(found));
  assert.equal(found.structuredContent.total_available, 4);
  assert.match(text_of(found), /Venus/);
  const page = await call('sparql_slice', { result: found.structuredContent.key, limit: 2 });
  assert.equal(page.structuredContent.returned, 2);
  const sql = `SELECT COUNT(*) AS n FROM ${found.structuredContent.key}`;
  const counted = await call('result_sql', { sql });
  assert.equal(counted.isError ?? false, false, text_of(counted));
  const reached = await call('call_tool', { name: 'sparql_count', arguments: { query: planets } });
  assert.equal(reached.structuredContent.count, 4);
  return found.structuredContent.key;
}

async function check_repair({ client, call }) {
  const wrong = await call('sparql_describe', { resource: 'body:Jupitr' });
  assert.equal(wrong.isError, true);
  assert.match(text_of(wrong), /body:Jupiter/);
  const [suggestion] = wrong.structuredContent.error.did_you_mean;
  const right = await call('sparql_describe', { resource: suggestion });
  assert.equal(right.isError ?? false, false, text_of(right));
  assert.match(text_of(right), /Jupiter/);
  await assert.rejects(client.callTool({ name: 'sparql_qery', arguments: {} }), (error) => {
    assert.equal(error.code, -32602);
    assert.match(error.message, /sparql_query/);
    return true;
  });
}

// A long query tells how far it is, does not hold up others, and ends when it is cancelled.
async function check_cancel({ call, server, pid }) {
  const told = [];
  const stop = new AbortController();
  const running = call('sparql_query', endless, {
    signal: stop.signal,
    onprogress: ({ progress }) => told.push(progress),
  });
  const refused = assert.rejects(running);
  await until('progress is told three times', () => told.length >= 3);
  assert.ok(increases(told), `progress ${told}`);
  const quick = await call('sparql_query', { query: 'ASK { ?s ?p ?o }' });
  assert.equal(quick.structuredContent.boolean, true);
  if (server) assert.ok((await server.metric('helve_requests_in_flight')) >= 1);
  stop.abort();
  await refused;
  if (server) {
    const is_quiet = async () => (await server.metric('helve_requests_in_flight')) === 0;
    await until('no request is in flight', is_quiet);
  }
  await until_idle(pid());
  const again = await call('sparql_query', { query: planets });
  assert.equal(again.structuredContent.total_available, 4);
}

async function check_resources({ client, peer }, key) {
  const listed = (await client.listResources()).resources.map((resource) => resource.uri);
  for (const uri of ['helve://sources', 'helve://tools']) {
    assert.ok(listed.includes(uri), `${listed}`);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map((one) => one.uriTemplate);
  assert.ok(templates.includes('helve://schema/{source}'), `${templates}`);
  assert.ok(templates.some((one) => one.startsWith('helve://results/')), `${templates}`);
  for (const [uri, expected] of [
    ['helve://sources', /sample/],
    ['helve://tools', /sparql_query/],
    ['helve://schema/sample', /sol:Flyby/],
    [`helve://results/${key}`, /Venus/],
  ]) {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.match(contents[0].text, expected, uri);
  }
  const unknown = client.readResource({ uri: 'helve://schema/nothing' });
  await assert.rejects(unknown, { code: peer.not_found });
}

async function check_prompts({ client }) {
  const { prompts } = await client.listPrompts();
  for (const name of ['explore-this-graph', 'answer-with-evidence', 'debug-my-query']) {
    const prompt = prompts.find((one) => one.name === name);
    assert.ok(prompt?.description, name);
    const args = {};
    for (const argument of prompt.arguments ?? []) {
      args[argument.name] = argument.name === 'source' ? 'sample' : 'ASK { ?s ?p ?o }';
    }
    const { messages } = await client.getPrompt({ name, arguments: args });
    assert.ok(messages[0].content.text.length > 100, name);
  }
}

async function check_completion({ client }) {
  const complete = async (ref, name, value) =>
    (await client.complete({ ref, argument: { name, value } })).completion.values;
  const prompt = { type: 'ref/prompt', name: 'explore-this-graph' };
  const resource = { type: 'ref/resource', uri: 'helve://schema/{source}' };
  assert.deepEqual(await complete(prompt, 'source', 'sa'), ['sample']);
  assert.deepEqual(await complete(resource, 'source', ''), ['sample']);
  assert.deepEqual(await complete(resource, 'source', 'x'), []);
}

// The server asks the client: its user, its model, its roots.
async function check_asking(peer) {
  const connection = await peer.connect(['--conformance']);
  const { client, call } = connection;
  try {
    const asked = [];
    const answer = (what, result) => async (request) => {
      asked.push(what);
      assert.equal(request.method.split('/')[0], what);
      return result(request.params);
    };
    peer.on_asked(client, {
      elicitation: answer('elicitation', ({ requestedSchema: { properties } }) => ({
        action: 'accept',
        content: properties.color ? { color: 'blue' } : { name: 'Ada' },
      })),
      sampling: answer('sampling', () => ({
        role: 'assistant',
        model: 'made-up',
        stopReason: 'endTurn',
        content: { type: 'text', text: 'Good morning' },
      })),
      roots: answer('roots', () => ({ roots: [{ uri: 'file:///somewhere', name: 'somewhere' }] })),
    });
    const twice = await call('test_input_required_result_multi_round', {});
    assert.match(text_of(twice), /Ada likes blue/);
    const three = await call('test_input_required_result_multiple_inputs', {});
    assert.match(text_of(three), /Ada: Good morning \(file:\/\/\/somewhere\)/);
    const expected = ['elicitation', 'elicitation', 'elicitation', 'roots', 'sampling'];
    assert.deepEqual(asked.sort(), expected);
    const logged = [];
    const logging = { name: 'test_tool_with_logging', arguments: {} };
    await peer.call_logged(client, logging, ({ level }) => logged.push(level));
    assert.deepEqual(logged, ['info', 'info', 'info']);
  } finally {
    assert.equal(await connection.close(), 0);
  }
}

// Who watches a source's schema hears when its file has changed.
async function check_watching(peer) {
  const file = join(temporary_folder(), 'pets.ttl');
  const write = (animal) => {
    writeFileSync(`${file}.new`, `@prefix : <http://example.org/> . :rex a :${animal} .\n`);
    renameSync(`${file}.new`, file);
  };
  write('Dog');
  const connection = await peer.connect(['--source', `pets=${file}`]);
  const { client } = connection;
  try {
    const uri = 'helve://schema/pets';
    const read = async () => {
      const { contents } = await client.readResource({ uri }, { cacheMode: 'bypass' });
      return contents[0].text;
    };
    assert.match(await read(), /Dog/);
    const updated = [];
    const watch = await peer.watch(client, uri, (changed) => updated.push(changed));
    write('Wolf');
    await until('the change is told', () => updated.includes(uri));
    assert.match(await read(), /Wolf/);
    await watch.end();
  } finally {
    assert.equal(await connection.close(), 0);
  }
}

// A server that is told to end does so, whoever is there and whatever runs, and says it to both.
async function check_shutdown(peer) {
  const { client, call, server } = await peer.connect();
  const watch = await peer.watch(client, 'helve://sources', () => {});
  const told = [];
  const running = assert.rejects(call('sparql_query', endless, { onprogress: () => told.push(1) }));
  await until('the query runs', () => told.length > 0);
  assert.equal(await server.stop(), 0);
  await running;
  if (watch.closed) assert.equal(await watch.closed, 'graceful');
  await client.close();
}

for (const peer of peers) {
  test(peer.name, async (t) => {
    const connection = await peer.connect();
    const session = { ...connection, peer };
    let key;
    await t.test('is introduced', () => check_introduction(session));
    await t.test('lists and calls tools', async () => (key = await check_tools(session)));
    await t.test('repairs a call with what the error says', () => check_repair(session));
    await t.test('hears progress and cancels', () => check_cancel(session));
    await t.test('lists and reads resources', () => check_resources(session, key));
    await t.test('gets prompts', () => check_prompts(session));
    await t.test('completes arguments', () => check_completion(session));
    await t.test('ends', async () => assert.equal(await connection.close(), 0));
    await t.test('is asked, and hears what is logged', () => check_asking(peer));
    await t.test('watches a source', () => check_watching(peer));
    if (peer.transport === 'http') await t.test('sees the server end', () => check_shutdown(peer));
  });
}

test('a client that asks first finds the modern era', async () => {
  const client = await connect_by_probing();
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  assert.ok((await client.listTools()).tools.length > 0);
  await client.close();
});
