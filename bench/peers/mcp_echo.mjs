// The server that bench/mcp.py compares with: one tool, `echo`, as the official TypeScript SDK has it, in both eras.
// mcp_echo.mjs speaks on stdio, mcp_echo.mjs PORT over HTTP.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  const inputSchema = z.object({ message: z.string() });
  server.registerTool('echo', { description: 'Says it again', inputSchema }, async ({ message }) => ({
    content: [{ type: 'text', text: message }],
  }));
  return server;
}

const port = process.argv[2];
if (port === undefined) {
  serveStdio(makeServer);
} else {
  createServer(toNodeHandler(createMcpHandler(makeServer))).listen(Number(port), '127.0.0.1');
}
