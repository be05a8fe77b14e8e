import { expect, test } from 'vitest';
import { defaultHeaders } from './default-headers.ts';
import { contentSecurityPolicy, isCallPage, isPayingPage, pageHeaders, paymentOrigins } from './page-policy.ts';

const page = { nonce: 'abc', payment: null, development: false };

test('allows scripts by nonce only and no framing', () => {
  const policy = contentSecurityPolicy(page);
  expect(policy).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe-eval');
});

test('allows styles by nonce only, and style attributes on pages with card fields', () => {
  expect(contentSecurityPolicy(page)).toContain("style-src 'self' 'nonce-abc';");
  expect(contentSecurityPolicy(page)).not.toContain('unsafe-inline');
  const policy = contentSecurityPolicy({ ...page, payment: paymentOrigins({ scriptUrl: null, apiUrl: '' }) });
  expect(policy).toContain("style-src 'self' 'nonce-abc'; style-src-attr 'unsafe-inline';");
  expect(policy.match(/unsafe-inline/g)).toHaveLength(1);
});

test('allows connections to Stripe only on pages with card fields', () => {
  expect(contentSecurityPolicy(page)).not.toContain('stripe');
  const payment = paymentOrigins({ scriptUrl: null, apiUrl: 'https://api.stripe.com' });
  const policy = contentSecurityPolicy({ ...page, payment });
  expect(policy).toContain("connect-src 'self' https://js.stripe.com https://api.stripe.com");
  expect(policy).toContain('frame-src https://js.stripe.com https://hooks.stripe.com');
});

test('takes other Stripe origins from the settings', () => {
  expect(
    paymentOrigins({ scriptUrl: 'http://localhost:3000/api/sandbox/stripe.js', apiUrl: 'http://127.0.0.1:4010' }),
  ).toEqual({
    script: 'http://localhost:3000',
    api: 'http://127.0.0.1:4010',
  });
});

test.each([
  ['/checkout', true],
  ['/manage', true],
  ['/playground', true],
  ['/playground/elsewhere', false],
  ['/visit/checkout', false],
  ['/', false],
])('%s takes cards: %s', (path, expected) => {
  expect(isPayingPage(path)).toBe(expected);
});

test.each([
  ['/visit', true],
  ['/visit/test', true],
  ['/visit/a.token', true],
  ['/visit/a/b', false],
  ['/visits', false],
  ['/appointments/0198/call', true],
  ['/appointments/0198', false],
  ['/appointments', false],
  ['/checkout', false],
  ['/', false],
])('%s may use camera and microphone: %s', (path, expected) => {
  expect(isCallPage(path)).toBe(expected);
  const headers = { ...defaultHeaders({ environment: 'sandbox' }), ...pageHeaders(path) };
  const own = expected ? '(self)' : '()';
  for (const name of ['camera', 'microphone', 'display-capture'])
    expect(headers['permissions-policy']).toContain(`${name}=${own}`);
  expect(headers['permissions-policy']).toContain('geolocation=()');
  expect(headers['permissions-policy']!.includes('stripe')).toBe(!expected);
  expect(headers['referrer-policy'] === 'no-referrer').toBe(expected);
});
