import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EXAMPLE } from '#contract/examples.ts';
import { type Call, curlOf, literal, pythonOf, typescriptOf } from './code-samples.ts';
import { withReaderIds } from './reader-ids.ts';

const url = 'https://care.example.test/api/v1/things';
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
const curlCall = (change: Partial<Call>): Call => call({ route: '/things', path: {}, ...change });

/** The arguments that a shell passes to curl. */
const argumentsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; TOKEN=t0k; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('the curl command', () => {
  it('sends the token of the environment', () => {
    expect(argumentsOf(curlOf(curlCall({})))).toEqual([url, '-H', 'Authorization: Bearer t0k']);
  });

  it('leaves the encoding of the query to curl', () => {
    const query: Call['query'] = [['from_date', '2026-11-23T09:00:00-05:00']];
    expect(argumentsOf(curlOf(curlCall({ query })))).toEqual([
      '-G',
      url,
      '-H',
      'Authorization: Bearer t0k',
      '--data-urlencode',
      'from_date=2026-11-23T09:00:00-05:00',
    ]);
  });

  it('quotes a body with an apostrophe for the shell', () => {
    const body = { first_name: "D'Ada", tags: ['$HOME'] };
    const args = argumentsOf(curlOf(curlCall({ method: 'PATCH', body })));
    expect(args.slice(0, 2)).toEqual(['-X', 'PATCH']);
    expect(JSON.parse(args.at(-1)!)).toEqual(body);
  });

  it('sends a new idempotency key with each call', () => {
    const keys = [1, 2].map(() => argumentsOf(curlOf(curlCall({ method: 'POST', idempotencyKey: true }))).at(-1));
    expect(keys[0]).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/);
    expect(keys[1]).not.toBe(keys[0]);
  });

  it('sets the method when curl’s default differs', () => {
    expect(curlOf(curlCall({ method: 'POST', body: { a: 1 } }))).not.toContain('-X');
    expect(curlOf(curlCall({ method: 'POST', idempotencyKey: true }))).toContain('-X POST');
    expect(curlOf(curlCall({ method: 'DELETE' }))).toContain('-X DELETE');
  });
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
    const evaluated = new Function(`return ${/, (\{.*\})\);$/s.exec(options)![1]}`)();
    expect(evaluated).toEqual({ path: { id: 'a/b' }, body });
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
    const writing = { string: (value: string) => `'${value}'`, key: (name: string) => name, keyword: String };
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
