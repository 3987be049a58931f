// The official TypeScript clients behind one face: version 1 speaks the legacy era, version 2 the
// modern one; each over stdio and over HTTP. clients.mjs asks all four the same.
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';

import { patience, start_http, stdio } from './helve.mjs';

const who = { name: 'helve-test', version: '1.0.0' };
const capabilities = { sampling: {}, elicitation: {}, roots: {} };
const options = { timeout: patience };

const legacy = {
  era: 'legacy',
  revision: '2025-11-25',
  make_client: () => new LegacyClient(who, { capabilities }),
  make_stdio: (params) => new LegacyStdio(params),
  make_http: (url) => new LegacyHttp(url),
  call: (client, params, more) => client.callTool(params, undefined, { ...options, ...more }),
  on_asked: (client, handlers) => {
    client.setRequestHandler(ElicitRequestSchema, handlers.elicitation);
    client.setRequestHandler(CreateMessageRequestSchema, handlers.sampling);
    client.setRequestHandler(ListRootsRequestSchema, handlers.roots);
  },
  // A call during which messages are logged.
  call_logged: async (client, params, handler) => {
    const hear = ({ params: message }) => handler(message);
    client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
    await client.setLoggingLevel('info', options);
    return client.callTool(params, undefined, options);
  },
  watch: async (client, uri, handler) => {
    const hear = ({ params }) => handler(params.uri);
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, hear);
    await client.subscribeResource({ uri }, options);
    return { end: () => client.unsubscribeResource({ uri }, options) };
  },
  not_found: -32002,
};

const modern = {
  era: 'modern',
  revision: '2026-07-28',
  make_client: () =>
    new ModernClient(who, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  make_stdio: (params) => new ModernStdio(params),
  make_http: (url) => new ModernHttp(url),
  call: (client, params, more) => client.callTool(params, { ...options, ...more }),
  on_asked: (client, handlers) => {
    client.setRequestHandler('elicitation/create', handlers.elicitation);
    client.setRequestHandler('sampling/createMessage', handlers.sampling);
    client.setRequestHandler('roots/list', handlers.roots);
  },
  call_logged: (client, params, handler) => {
    const hear = ({ params: message }) => handler(message);
    client.setNotificationHandler('notifications/message', hear);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    return client.callTool({ ...params, _meta }, options);
  },
  watch: async (client, uri, handler) => {
    const hear = ({ params }) => handler(params.uri);
    client.setNotificationHandler('notifications/resources/updated', hear);
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, options);
    const watched = subscription.honoredFilter.resourceSubscriptions ?? [];
    if (!watched.includes(uri)) throw new Error(`${uri} is not watched`);
    return { end: () => subscription.close(), closed: subscription.closed };
  },
  not_found: -32602,
};

// Version 2 finds out by itself which era a server speaks.
export async function connect_by_probing() {
  const client = new ModernClient(who, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernStdio({ ...stdio(), stderr: 'ignore' }), options);
  return client;
}

export const peers = [];
for (const sdk of [legacy, modern]) {
  for (const transport of ['stdio', 'http']) {
    peers.push({
      name: `${sdk.era}, ${transport}`,
      ...sdk,
      transport,
      // A client that is connected to a server of its own.
      connect: async (more = []) => {
        const client = sdk.make_client();
        const server = transport === 'http' ? await start_http(more) : undefined;
        const link = server
          ? sdk.make_http(server.url)
          : sdk.make_stdio({ ...stdio(more), stderr: 'ignore' });
        await client.connect(link, options);
        return {
          client,
          link,
          server,
          pid: () => server?.pid ?? link.pid,
          call: (name, args, how) => sdk.call(client, { name, arguments: args }, how),
          close: async () => {
            await client.close();
            return server ? server.stop() : 0;
          },
        };
      },
    });
  }
}
