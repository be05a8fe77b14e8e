import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { CODES_OF_PROCEDURES } from './procedure-errors.ts';
import { ROUTES } from './routes.ts';

const addresses = {
  baseUrl: 'https://care.example.test/api/v1',
  tokenUrl: 'https://care.example.test/identity/oauth2/token',
};
type Operation = {
  operationId: string;
  parameters: { name: string }[];
  security: object[];
  responses: Record<string, unknown>;
};

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

  it('has exactly the routes of the table', () => {
    const { paths } = openApiDocument(addresses) as { paths: Record<string, Record<string, Operation>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(ROUTES.map((route) => `${route.method} ${route.path}`).sort());
  });

  const operations = () => {
    const { paths } = openApiDocument(addresses) as { paths: Record<string, Record<string, Operation>> };
    return ROUTES.map((route) => ({ route, operation: paths[route.path]![route.method.toLowerCase()]! }));
  };
  const successOf = ({ responses }: Operation) =>
    Object.entries(responses).find(([status]) => status.startsWith('2')) as [string, { headers: object }];

  it('offers an Idempotency-Key on every POST and on no other method', () => {
    for (const { route, operation } of operations())
      expect(operation.parameters.map(({ name }) => name).includes('Idempotency-Key')).toBe(route.method === 'POST');
  });

  it('documents 201 with Location for creations, 200 for everything else', () => {
    for (const { route, operation } of operations()) {
      const [status, { headers }] = successOf(operation);
      expect(status).toBe(String(route.status ?? 200));
      expect('Location' in headers).toBe(status === '201');
    }
  });

  it('documents Link and the totals for lists, and page and size as parameters', () => {
    for (const { route, operation } of operations()) {
      const [, { headers }] = successOf(operation);
      const isList = route.list !== undefined;
      expect('Link' in headers).toBe(isList);
      expect('Total-Count' in headers).toBe(isList);
      for (const name of ['page', 'size'])
        expect([route.path, name, operation.parameters.some((one) => one.name === name)]).toEqual([
          route.path,
          name,
          isList,
        ]);
    }
  });

  it('documents who may call: applications by scope, patients by their token', () => {
    for (const { route, operation } of operations())
      expect(operation.security).toEqual([
        ...(route.patientOnly ? [] : [{ oauth2: [route.scope] }]),
        ...(route.patient ? [{ patient: [] }] : []),
      ]);
  });

  it('every procedure with error codes of its own has a route', () => {
    const procedures = ROUTES.map(({ procedure }) => procedure);
    expect(procedures).toEqual(expect.arrayContaining(Object.keys(CODES_OF_PROCEDURES)));
  });

  it('every parameter has a type', () => {
    const text = JSON.stringify(openApiDocument(addresses));
    expect(text).not.toContain('"schema":{}');
    expect(text).not.toContain('#/$defs');
  });
});
