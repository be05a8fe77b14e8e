import { expect, test } from 'vitest';
import { familyOfAgent, shortenUserAgent } from './user-agent.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120 Safari/537.36 Edg/120', 'Edge on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1', 'Safari on iOS'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0 Safari/537.36', 'Chrome on Linux'],
  ['okhttp/4.12', 'an app on Android'],
  ['curl/8.0', null],
  [null, null],
])('shortens %s to %s', (userAgent, short) => {
  expect(shortenUserAgent(userAgent)).toBe(short);
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['curl/8.0', 'curl'],
  ['node', 'Node.js'],
  ['python-requests/2.32', 'Python'],
  ['Ada Example, born 1970-01-01', 'another program'],
  ['', null],
  [null, null],
])('maps %s to %s for the audit log', (userAgent, family) => {
  expect(familyOfAgent(userAgent)).toBe(family);
});
