/**
 * The limit: node:http and pg with nothing in between. The first message defines the response of each path: a text, or
 * the rows of statements that run one after the other.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { serveMessages } from '../start-process.ts';
import type { Statement } from './record-statements.ts';

export type BareServer = {
  databaseUrl: string;
  poolSize: number;
  tenantId: string;
  responses: Record<string, string | Statement[]>;
};

serveMessages(async ({ databaseUrl, poolSize, tenantId, responses }: BareServer) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, options: `-c app.tenant_id=${tenantId}` });
  async function find(path: string, statements: Statement[]): Promise<string> {
    const rows: unknown[] = [];
    for (const [index, { text, values }] of statements.entries())
      rows.push(...(await pool.query({ name: `${path}${index}`, text, values })).rows);
    if (rows.length === 0) throw new Error(`nothing was found for ${path}`);
    return JSON.stringify(rows);
  }
  const server = createServer(async (request, response) => {
    const source = responses[request.url!]!;
    const body = typeof source === 'string' ? source : await find(request.url!, source);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
