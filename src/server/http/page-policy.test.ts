import { expect, test } from 'vitest';
import { contentSecurityPolicy, isPayingPage, paymentOrigins } from './page-policy.ts';

const page = { nonce: 'abc', payment: null, development: false };

test('scripts run by nonce only, and nothing may frame the page', () => {
  const policy = contentSecurityPolicy(page);
  expect(policy).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe-eval');
});

test('styles apply by nonce only; where cards are taken, the processor’s script may put its frames in place', () => {
  expect(contentSecurityPolicy(page)).toContain("style-src 'self' 'nonce-abc';");
  expect(contentSecurityPolicy(page)).not.toContain('unsafe-inline');
  const policy = contentSecurityPolicy({ ...page, payment: paymentOrigins({ jsUrl: null, apiUrl: '' }) });
  expect(policy).toContain("style-src 'self' 'nonce-abc'; style-src-attr 'unsafe-inline';");
  expect(policy.match(/unsafe-inline/g)).toHaveLength(1);
});

test('a page of the portal reaches nobody but us; the checkout page reaches the processor', () => {
  expect(contentSecurityPolicy(page)).not.toContain('stripe');
  const payment = paymentOrigins({ jsUrl: null, apiUrl: 'https://api.stripe.com' });
  const policy = contentSecurityPolicy({ ...page, payment });
  expect(policy).toContain("connect-src 'self' https://js.stripe.com https://api.stripe.com");
  expect(policy).toContain('frame-src https://js.stripe.com https://hooks.stripe.com');
});

test('another address of the processor is taken from the settings', () => {
  expect(paymentOrigins({ jsUrl: 'http://127.0.0.1:4010/stripe.js', apiUrl: 'http://127.0.0.1:4010' })).toEqual({
    script: 'http://127.0.0.1:4010',
    api: 'http://127.0.0.1:4010',
  });
});

test.each([
  ['/checkout', true],
  ['/playground', true],
  ['/playground/elsewhere', false],
  ['/visit/checkout', false],
  ['/', false],
])('%s takes cards: %s', (path, expected) => {
  expect(isPayingPage(path)).toBe(expected);
});
