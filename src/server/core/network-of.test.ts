import { expect, test } from 'vitest';
import { shortenUserAgent } from '../identity/proving/caller.ts';
import { networkOf, sourceOf } from './network-of.ts';

test.each([
  ['192.0.2.77', '192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8::9', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ['unknown', 'unknown', null],
])('%s is counted as %s and kept as %s', (ip, source, network) => {
  expect([sourceOf(ip), networkOf(ip)]).toEqual([source, network]);
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120 Safari/537.36 Edg/120', 'Edge on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1', 'Safari on iOS'],
  ['okhttp/4.12', 'an app on Android'],
  ['curl/8.0', null],
  [null, null],
])('%s is kept as %s', (userAgent, short) => {
  expect(shortenUserAgent(userAgent)).toBe(short);
});
