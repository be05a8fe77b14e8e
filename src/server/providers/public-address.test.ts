import { describe, expect, test } from 'vitest';
import { FORBIDDEN_TARGETS as REFUSED } from '#dev/testing/invariants/webhook-targets.ts';
import { assertAddressAllowed, parseTarget } from './public-address.ts';

const production = { environment: 'production' as const, webhookRanges: [] };
const sandbox = { environment: 'sandbox' as const, webhookRanges: [] };
const inside = {
  environment: 'production' as const,
  webhookRanges: [
    { network: '10.1.0.0', bits: 16, family: 'ipv4' as const },
    { network: 'fd00:1::', bits: 32, family: 'ipv6' as const },
  ],
};

test.each(REFUSED)('production rejects %s', (url) => {
  expect(() => parseTarget(url, production)).toThrow();
});

test.each([
  'https://example.com/hooks',
  'https://EXAMPLE.com:8443/a?b=c',
  'https://93.184.216.34/hooks',
  'https://1572395042/',
  'https://[2606:4700:4700::1111]/',
  'https://münchen.example.com/',
  'https://example.com./',
])('production accepts %s', (url) => {
  expect(() => parseTarget(url, production)).not.toThrow();
});

describe('in a sandbox', () => {
  const OWN = [
    'http://localhost:4000/hooks',
    'http://127.0.0.1/',
    'https://[::1]:9/',
    'http://a.localhost/',
    'http://2130706433/',
  ];
  test.each(OWN)('accepts %s', (url) => {
    expect(() => parseTarget(url, sandbox)).not.toThrow();
  });
  const isOwn = (url: string) =>
    URL.canParse(url) && /^(127\.|\[::1\]|\[::ffff:7f|.*localhost\.?$)/.test(new URL(url).hostname);
  test.each(REFUSED.filter((url) => !isOwn(url) || url.includes('@')))('still rejects %s', (url) => {
    expect(() => parseTarget(url, sandbox)).toThrow();
  });
});

describe('ranges that the operator allows', () => {
  test.each([
    'https://10.1.2.3/',
    'https://167838211/',
    'https://[fd00:1::5]/',
    'https://queue.internal/',
    'https://hub/',
  ])('accept %s', (url) => {
    expect(() => parseTarget(url, inside)).not.toThrow();
  });
  test.each([
    'https://10.2.0.1/',
    'https://[fd00:2::5]/',
    'https://127.0.0.1/',
    'http://10.1.2.3/',
    'https://a@10.1.2.3/',
  ])('reject %s', (url) => {
    expect(() => parseTarget(url, inside)).toThrow();
  });
  test('apply to the IPv4-mapped address of a dual-stack socket', () => {
    expect(() => assertAddressAllowed('::ffff:10.1.2.3', inside, { plain: false })).not.toThrow();
    expect(() => assertAddressAllowed('::ffff:10.2.2.3', inside, { plain: false })).toThrow();
  });
});

test('plain HTTP is limited to this machine', () => {
  expect(() => assertAddressAllowed('93.184.216.34', sandbox, { plain: true })).toThrow();
  expect(() => assertAddressAllowed('127.0.0.1', sandbox, { plain: true })).not.toThrow();
});
