import { describe, expect, test } from 'vitest';
import { readTarget, refuseAddress } from './public-address.ts';

const production = { environment: 'production' as const, webhookRanges: [] };
const sandbox = { environment: 'sandbox' as const, webhookRanges: [] };
const inside = {
  environment: 'production' as const,
  webhookRanges: [
    { network: '10.1.0.0', bits: 16, family: 'ipv4' as const },
    { network: 'fd00:1::', bits: 32, family: 'ipv6' as const },
  ],
};

/** Every way to write an address that is nobody's business, or is no address to send to. */
const REFUSED = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0x7f.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://①②⑦.⓪.⓪.①/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://100.64.0.1/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b::169.254.169.254]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[2001:db8::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[ff02::1]/',
  'https://[100::1]/',
  'https://[5f00::1]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://app.localhost/',
  'https://localhost.localdomain/',
  'https://router.local/',
  'https://db.internal/',
  'https://printer.lan/',
  'https://nas.home.arpa/',
  'https://intranet/',
  'https://user@example.com/',
  'https://user:word@example.com/',
  'https://example.com@127.0.0.1/',
  'https://example.com:25/',
  'https://example.com:22/',
  'https://example.com:80/',
  'https://example.com/#here',
  'http://example.com/',
  'http://93.184.216.34/',
  'http:/example.com/',
  'https:example.com',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,hello',
  '//example.com/',
  'example.com',
  'https://',
  'https://exa mple.com/',
  'https://%00/',
  '',
];

test.each(REFUSED)('in production %s is refused', (url) => {
  expect(() => readTarget(url, production)).toThrow();
});

test.each([
  'https://example.com/hooks',
  'https://EXAMPLE.com:8443/a?b=c',
  'https://93.184.216.34/hooks',
  'https://1572395042/',
  'https://[2606:4700:4700::1111]/',
  'https://münchen.example.com/',
  'https://example.com./',
])('%s is taken', (url) => {
  expect(() => readTarget(url, production)).not.toThrow();
});

describe('in a sandbox', () => {
  const OWN = [
    'http://localhost:4000/hooks',
    'http://127.0.0.1/',
    'https://[::1]:9/',
    'http://a.localhost/',
    'http://2130706433/',
  ];
  test.each(OWN)('%s is taken', (url) => {
    expect(() => readTarget(url, sandbox)).not.toThrow();
  });
  const isOwn = (url: string) =>
    URL.canParse(url) && /^(127\.|\[::1\]|\[::ffff:7f|.*localhost\.?$)/.test(new URL(url).hostname);
  test.each(REFUSED.filter((url) => !isOwn(url) || url.includes('@')))('%s is refused all the same', (url) => {
    expect(() => readTarget(url, sandbox)).toThrow();
  });
});

describe('ranges that the operator allows', () => {
  test.each([
    'https://10.1.2.3/',
    'https://167838211/',
    'https://[fd00:1::5]/',
    'https://queue.internal/',
    'https://hub/',
  ])('%s is taken', (url) => {
    expect(() => readTarget(url, inside)).not.toThrow();
  });
  test.each([
    'https://10.2.0.1/',
    'https://[fd00:2::5]/',
    'https://127.0.0.1/',
    'http://10.1.2.3/',
    'https://a@10.1.2.3/',
  ])('%s is refused', (url) => {
    expect(() => readTarget(url, inside)).toThrow();
  });
  test('a dual-stack socket may call one of them by its long name', () => {
    expect(() => refuseAddress('::ffff:10.1.2.3', inside, { plain: false })).not.toThrow();
    expect(() => refuseAddress('::ffff:10.2.2.3', inside, { plain: false })).toThrow();
  });
});

test('in the clear nothing leaves the machine', () => {
  expect(() => refuseAddress('93.184.216.34', sandbox, { plain: true })).toThrow();
  expect(() => refuseAddress('127.0.0.1', sandbox, { plain: true })).not.toThrow();
});
