import fc from 'fast-check';

export const FORM = 'application/x-www-form-urlencoded';

/** All characters that a header value may contain. */
const headerText: fc.Arbitrary<string> = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
});
export const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND');
export const types = fc.constantFrom(
  'application/json',
  FORM,
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '',
);
export const seldom = <T>(usual: fc.Arbitrary<T>, strange: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: strange });

/** Bodies that no client sends. */
export const strangeBodies: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom<string | Uint8Array>(
    '',
    ' ',
    '{',
    '[]',
    'null',
    'true',
    '"text"',
    '1e400',
    '{"a":1,}',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":"\\u0000"}',
    '{"\\u0000":1}',
    '{"a":"\\ud800"}',
    '\ufeff{}',
    `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`,
    `{${Array.from({ length: 3000 }, (_, n) => `"${n}":1`).join()}}`,
    `{"${'\\u0001'.repeat(5000)}":1}`,
    '%',
    '%zz=%00',
    'a=1&a=2&a=3',
    '&'.repeat(5000),
    Uint8Array.of(0xff, 0xfe, 0x7b),
    Uint8Array.of(0xc3),
  ),
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary' }),
  fc.json({ maxDepth: 4 }),
);
export const strangeQueries: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', 'input=', 'input={', 'input=%00', 'batch=1', 'batch=1&input=[]', 'batch=2', 'input=1&input=2'),
  fc.constantFrom(
    'callbackUrl=%',
    'callbackUrl=http%3A%2F%2F%5B',
    'callbackUrl=javascript%3Aalert(1)',
    'callbackUrl=x',
  ),
  fc.constantFrom(
    'error=%0d%0aSet-Cookie%3Aa',
    `error=${'e'.repeat(3000)}`,
    'nextauth=_log',
    'connectionParams=1',
    '__proto__=1',
  ),
  fc
    .tuple(fc.string(), fc.string())
    .map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`),
);
export const strangeHeaders = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'cookie',
    'origin',
    'content-type',
    'idempotency-key',
    'user-agent',
    'accept',
    'trpc-accept',
    'x-carelane-portal',
    'x-forwarded-host',
    'x-middleware-subrequest',
    'stripe-signature',
    'x-acuity-signature',
    'access-control-request-method',
  ),
  fc.oneof(headerText, fc.constantFrom('application/jsonl', 'text/event-stream', 'Bearer ', 'Basic Og==', 'null')),
  { maxKeys: 3 },
);
export const wellFormed = (text: string) => Buffer.from(text).toString('utf8');
