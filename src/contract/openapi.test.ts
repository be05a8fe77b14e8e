import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { ROUTES } from './routes.ts';

const addresses = {
  baseUrl: 'https://care.example.test/api/v1',
  tokenUrl: 'https://care.example.test/identity/oauth2/token',
};
type Operation = { operationId: string; responses: Record<string, unknown>; requestBody?: unknown };

describe('the OpenAPI document', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'openapi-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('passes a standard linter without a warning', async () => {
    const file = path.join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(openApiDocument(addresses)));
    const { stdout, stderr } = await promisify(execFile)(
      path.resolve('node_modules/.bin/redocly'),
      ['lint', file, '--format=json'],
      { cwd: folder, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    expect(JSON.parse(stdout).problems, stderr).toEqual([]);
  });

  it('has every route of the table, and no other', () => {
    const { paths } = openApiDocument(addresses) as { paths: Record<string, Record<string, Operation>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(ROUTES.map((route) => `${route.method} ${route.path}`).sort());
  });

  it('says of every parameter which type it takes', () => {
    const text = JSON.stringify(openApiDocument(addresses));
    expect(text).not.toContain('"schema":{}');
    expect(text).not.toContain('#/$defs');
  });
});
