import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '#contract/errors.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { ROUTES } from '#contract/routes.ts';
import type { JsonSchema, OpenApiDocument } from './open-api.ts';
import { fieldOf, fieldsOf, RESPONSE_OVERRIDES, readReference } from './read-reference.ts';

const baseUrl = 'https://care.example.test/api/v1';
const document = openApiDocument({ baseUrl, tokenUrl: 'https://care.example.test/identity/oauth2/token' });
const groups = readReference(document as OpenApiDocument);
const operations = groups.flatMap((group) => group.operations);

const ajv = new Ajv2020({ strict: false, validateSchema: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(document, 'https://openapi.example.test/document');
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const errorsAt = (value: unknown, ...pointer: string[]) => {
  const $ref = `https://openapi.example.test/document#/${pointer.map(escaped).join('/')}`;
  const validate = ajv.compile({ $ref });
  validate(value);
  return validate.errors ?? [];
};

describe('the reference', () => {
  it('contains every route, with aliases next to the main path', () => {
    const routes = operations.flatMap(({ method, path, aliases }) =>
      [path, ...aliases].map((route) => `${method} ${route}`),
    );
    expect(routes.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('has unique anchors', () => {
    const anchors = groups.flatMap((group) =>
      [group, ...group.operations, ...group.models].map(({ anchor }) => anchor),
    );
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const { model } of operations) expect(anchors).toContain(model.anchor);
    for (const anchor of anchors) expect(anchor).toMatch(/^[a-z][a-z-]*$/);
  });

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'shows a response to %s that conforms to the contract',
    (_call, { method, path, status, responseExample }) => {
      const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)];
      expect(errorsAt(JSON.parse(responseExample), ...pointer, 'content', 'application/json', 'schema')).toEqual([]);
    },
  );

  it.each(
    operations
      .filter(({ samples }) => samples.curl.includes(" -d '"))
      .map((operation) => [operation.path, operation] as const),
  )('shows a body for %s that conforms to the contract', (_path, { method, path, samples }) => {
    const body = JSON.parse(/ -d '(.*)'$/s.exec(samples.curl)![1]!);
    const pointer = ['paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
    expect(errorsAt(body, ...pointer)).toEqual([]);
  });

  it('never shows a client secret in a list', () => {
    for (const { model, responseExample } of operations)
      if (model.isList) expect(responseExample).not.toContain('client_secret');
    expect(operations.find(({ anchor }) => anchor === 'subscriptions-create')?.responseExample).toContain(
      'client_secret',
    );
  });

  it('fills in all path parameters', () => {
    for (const { samples } of operations) expect(samples.curl.split('\n')[0]).not.toMatch(/[{}]/);
  });

  it('lists each error under its status', () => {
    for (const { errors } of operations)
      for (const { status, codes } of errors) for (const code of codes) expect(ERRORS[code].status).toBe(status);
  });

  it('has changes of example responses only for existing operations', () => {
    expect(ROUTES.map(({ procedure }) => procedure)).toEqual(expect.arrayContaining(Object.keys(RESPONSE_OVERRIDES)));
  });
});

const field = (schema: JsonSchema) => fieldOf('name', schema, false, {});

describe('a field', () => {
  it('has a readable type', () => {
    expect(field({ type: 'string', format: 'uuid' }).type).toBe('uuid');
    expect(field({ type: 'array', items: { type: 'string' } }).type).toBe('array of strings');
    expect(field({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type).toBe('integer or null');
    expect(field({ type: ['integer', 'null'] }).type).toBe('integer or null');
    expect(field({ type: 'array', items: { $ref: '#/components/schemas/Patient' } }).type).toBe('array of Patient');
  });

  it('has limits, also when it is nullable', () => {
    expect(field({ type: 'integer', minimum: 1, maximum: 1000 }).limits).toBe('1 to 1,000');
    expect(field({ anyOf: [{ type: 'string', maxLength: 40 }, { type: 'null' }] }).limits).toBe(
      'at most 40 characters',
    );
    expect(field({ type: 'array', minItems: 1, items: {} }).limits).toBe('at least 1 items');
  });

  it('has no limits when it is an id', () => {
    expect(field({ type: 'integer', minimum: 1, maximum: 2_147_483_647 }).limits).toBeNull();
  });

  it('lists enum values, also inside an array', () => {
    expect(field({ type: 'string', enum: ['a', 'b'] }).values).toEqual(['a', 'b']);
    expect(field({ type: 'array', items: { enum: ['a'] } }).values).toEqual(['a']);
    expect(field({ const: 'Patient' }).values).toEqual(['Patient']);
  });

  it('prefers its own description to that of its type', () => {
    const described: JsonSchema = { anyOf: [{ type: 'string', description: 'inner' }, { type: 'null' }] };
    expect(field(described).description).toBe('inner');
    expect(field({ ...described, description: 'outer' }).description).toBe('outer');
  });

  it('has the fields of nested objects', () => {
    const item: JsonSchema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
    const inner = fieldsOf(item, {});
    expect(inner).toMatchObject([{ name: 'id', required: true }]);
    expect(field({ type: 'array', items: item }).fields).toEqual(inner);
    expect(field({ anyOf: [item, { type: 'null' }] }).fields).toEqual(inner);
  });
});
