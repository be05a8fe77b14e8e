import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '#contract/errors.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { ROUTES } from '#contract/routes.ts';
import type { OpenApiDocument } from './open-api.ts';
import { OUTCOMES, readReference } from './read-reference.ts';

const baseUrl = 'https://care.example.test/api/v1';
const document = openApiDocument({ baseUrl, tokenUrl: 'https://care.example.test/identity/oauth2/token' });
const groups = readReference(document as OpenApiDocument);
const operations = groups.flatMap((group) => group.operations);

const ajv = new Ajv2020({ strict: false, validateSchema: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(document, 'https://openapi.example.test/document');
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const faultsOf = (value: unknown, ...pointer: string[]) => {
  const $ref = `https://openapi.example.test/document#/${pointer.map(escaped).join('/')}`;
  const validate = ajv.compile({ $ref });
  validate(value);
  return validate.errors ?? [];
};

describe('the reference', () => {
  it('contains every route, with aliases next to the main path', () => {
    const shown = operations.flatMap(({ method, path, aliases }) => [path, ...aliases].map((at) => `${method} ${at}`));
    expect(shown.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
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
    (_call, { method, path, status, responseExample: answer }) => {
      const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)];
      expect(faultsOf(JSON.parse(answer), ...pointer, 'content', 'application/json', 'schema')).toEqual([]);
    },
  );

  it.each(
    operations
      .filter(({ samples }) => samples.curl.includes(" -d '"))
      .map((operation) => [operation.path, operation] as const),
  )('shows a body for %s that conforms to the contract', (_path, { method, path, samples }) => {
    const body = JSON.parse(/ -d '(.*)'$/s.exec(samples.curl)![1]!);
    const pointer = ['paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
    expect(faultsOf(body, ...pointer)).toEqual([]);
  });

  it('never shows a client secret in a list', () => {
    for (const { model, responseExample: answer } of operations)
      if (model.isList) expect(answer).not.toContain('client_secret');
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
    expect(ROUTES.map(({ procedure }) => procedure)).toEqual(expect.arrayContaining(Object.keys(OUTCOMES)));
  });
});
