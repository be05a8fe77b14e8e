import { describe, expect, it } from 'vitest';
import { EXAMPLE } from '#contract/examples.ts';
import type { Call } from './call.ts';
import { literal } from './literal.ts';
import { pythonOf } from './python-of.ts';
import { withReaderIds } from './reader-ids.ts';
import { typescriptOf } from './typescript-of.ts';

const call = (change: Partial<Call>): Call => ({
  method: 'GET',
  route: '/things/{id}',
  baseUrl: 'https://care.example.test/api/v1',
  path: { id: 'a/b' },
  query: [],
  idempotencyKey: false,
  body: undefined,
  response: { name: 'Thing', isList: false, isPaged: false },
  ...change,
});

describe('the TypeScript sample', () => {
  it('contains the route and its parameters', () => {
    expect(typescriptOf(call({}))).toBe(
      "const thing = await carelane.get('/things/{id}', { path: { id: 'a/b' } });\nconsole.log(thing);",
    );
  });

  it('quotes keys and strings', () => {
    const body = { "it's": 'D\'Ada "x"\n', 'a-b': null, plain: true };
    const options = typescriptOf(call({ method: 'POST', body }))
      .split('\n')
      .slice(0, -1)
      .join('\n');
    const given = new Function(`return ${/, (\{.*\})\);$/s.exec(options)![1]}`)();
    expect(given).toEqual({ path: { id: 'a/b' }, body });
  });

  it('iterates over a paginated list, and fetches another at once', () => {
    const list = { route: '/things', path: {} };
    expect(typescriptOf(call({ ...list, response: { name: 'Thing', isList: true, isPaged: true } }))).toBe(
      "for await (const thing of carelane.all('/things')) {\n  console.log(thing);\n}",
    );
    expect(typescriptOf(call({ ...list, response: { name: 'Thing', isList: true, isPaged: false } }))).toContain(
      'const thingList = await carelane.get(',
    );
  });
});

describe('the Python sample', () => {
  it('fills in the path, and uses Python literals', () => {
    const text = pythonOf(call({ method: 'PATCH', body: { on: true, off: null, name: 'Ada' } }));
    expect(text).toContain('requests.patch(\n    "https://care.example.test/api/v1/things/a%2Fb",');
    expect(text).toContain('json={ "on": True, "off": None, "name": "Ada" }');
  });

  it('sends a query and an idempotency key', () => {
    const text = pythonOf(call({ method: 'POST', query: [['n', 5]], idempotencyKey: true }));
    expect(text).toContain('params={ "n": "5" }');
    expect(text).toContain('import uuid\n');
    expect(text).toContain('"Idempotency-Key": str(uuid.uuid4())');
  });
});

describe('a literal', () => {
  it('has one line for each entry when it is too wide', () => {
    const writing = { text: (value: string) => `'${value}'`, key: (name: string) => name, word: String };
    expect(literal({ a: 'x'.repeat(60), b: [] }, writing, 2)).toBe(`{\n  a: '${'x'.repeat(60)}',\n  b: [],\n}`);
  });
});

describe('the reader’s own ids', () => {
  const own = { patientId: 'mine', appointmentTypeId: 5, subscriptionId: 'sub_mine' };

  it('replace the example ids as whole words only', () => {
    const sample = (patient: string, subscription: string, type: number, more: string) =>
      `curl https://care.example.test:41001/patients/${patient} -d '{"type": ${type}, "of": "${subscription}"}' ${more}`;
    const { patientId, subscriptionId, appointmentTypeId, calendarId } = EXAMPLE;
    const others = `calendar=${calendarId} ${appointmentTypeId}7 ${patientId}-x`;
    expect(withReaderIds(sample(patientId, subscriptionId, appointmentTypeId, others), own)).toBe(
      sample('mine', 'sub_mine', 5, others),
    );
    expect(withReaderIds(patientId, {})).toBe(patientId);
  });
});
