import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Call } from './call.ts';
import { curlOf } from './curl-of.ts';

const url = 'https://care.example.test/api/v1/things';
const call = (change: Partial<Call>): Call => ({
  method: 'GET',
  route: '/things',
  baseUrl: 'https://care.example.test/api/v1',
  path: {},
  query: [],
  idempotencyKey: false,
  body: undefined,
  response: { name: 'Thing', isList: false, isPaged: false },
  ...change,
});

/** The arguments that a shell passes to curl. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; TOKEN=t0k; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('the curl command', () => {
  it('sends the token of the environment', () => {
    expect(wordsOf(curlOf(call({})))).toEqual([url, '-H', 'Authorization: Bearer t0k']);
  });

  it('leaves the encoding of the query to curl', () => {
    const query: Call['query'] = [['from_date', '2026-11-23T09:00:00-05:00']];
    expect(wordsOf(curlOf(call({ query })))).toEqual([
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
    const words = wordsOf(curlOf(call({ method: 'PATCH', body })));
    expect(words.slice(0, 2)).toEqual(['-X', 'PATCH']);
    expect(JSON.parse(words.at(-1)!)).toEqual(body);
  });

  it('sends a new idempotency key with each call', () => {
    const keys = [1, 2].map(() => wordsOf(curlOf(call({ method: 'POST', idempotencyKey: true }))).at(-1));
    expect(keys[0]).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/);
    expect(keys[1]).not.toBe(keys[0]);
  });

  it('sets the method when curl’s default differs', () => {
    expect(curlOf(call({ method: 'POST', body: { a: 1 } }))).not.toContain('-X');
    expect(curlOf(call({ method: 'POST', idempotencyKey: true }))).toContain('-X POST');
    expect(curlOf(call({ method: 'DELETE' }))).toContain('-X DELETE');
  });
});
