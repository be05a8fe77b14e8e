import { describe, expect, test } from 'vitest';
import { AppAddress, SetAllowedOriginsInput, WebOrigin } from './origins.ts';
import { isLocalOrigin, isOnWebsite } from './websites.ts';

const APP = 'https://app.example.test';

describe('WebOrigin', () => {
  test.each([
    [APP, APP],
    ['HTTPS://App.Example.TEST', APP],
    [`  ${APP}  `, APP],
    [`${APP}:443`, APP],
    [`${APP}:8443`, `${APP}:8443`],
    ['https://bücher.example.test', 'https://xn--bcher-kva.example.test'],
    ['https://xn--bcher-kva.example.test', 'https://xn--bcher-kva.example.test'],
    ['https://app。example。test', APP],
    ['https://my_app.example.test', 'https://my_app.example.test'],
    ['https://192.0.2.10:8443', 'https://192.0.2.10:8443'],
    ['https://0xc0.0.2.10', 'https://192.0.2.10'],
    ['https://[2001:DB8:0:0:0:0:0:1]', 'https://[2001:db8::1]'],
    ['https://localhost', 'https://localhost'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://LOCALHOST:80', 'http://localhost'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['http://[0:0:0:0:0:0:0:1]:3000', 'http://[::1]:3000'],
    ['http://app.localhost:3000', 'http://app.localhost:3000'],
  ])('parses %s as %s, the form that browsers send', (text, origin) => {
    expect(WebOrigin.parse(text)).toBe(origin);
    expect(new URL(origin).origin).toBe(origin);
  });

  test.each([
    ['capacitor://localhost', 'capacitor://localhost'],
    [' Ionic://LOCALHOST ', 'ionic://localhost'],
  ])('parses %s as %s, the form that an app shell sends', (text, origin) => {
    expect(WebOrigin.parse(text)).toBe(origin);
  });

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['*', '*'],
    ['a name without a scheme', 'app.example.test'],
    ['a scheme without a name', 'https://'],
    ['no slashes', 'https:app.example.test'],
    ['one slash', 'https:/app.example.test'],
    ['three slashes', 'https:///app.example.test'],
    ['backslashes', 'https:\\\\app.example.test'],
    ['a backslash behind', `${APP}\\`],
    ['a slash behind', `${APP}/`],
    ['a path', `${APP}/login`],
    ['a query', `${APP}?a=1`],
    ['a fragment', `${APP}#a`],
    ['an empty query', `${APP}?`],
    ['a user', 'https://ada@app.example.test'],
    ['a user and a password', 'https://ada:secret@app.example.test'],
    ['an empty user', 'https://@app.example.test'],
    ['a wildcard', 'https://*.example.test'],
    ['a wildcard port', `${APP}:*`],
    ['a trailing dot', `${APP}.`],
    ['a trailing dot before a port', `${APP}.:8443`],
    ['an empty label', 'https://app..example.test'],
    ['a leading dot', 'https://.example.test'],
    ['a leading hyphen', 'https://-app.example.test'],
    ['a percent-encoded letter', 'https://%61pp.example.test'],
    ['a space inside', 'https://app. example.test'],
    ['a tab inside', 'https://app\t.example.test'],
    ['a line break inside', 'https://app\n.example.test'],
    ['a NUL', 'https://app\u0000.example.test'],
    ['two at once', `${APP},https://other.example.test`],
    ['two at once, spaced', `${APP} https://other.example.test`],
    ['quotes', `"${APP}"`],
    ['a port too large', `${APP}:65536`],
    ['a port of letters', `${APP}:https`],
    ['an address with a scope', 'https://[fe80::1%25eth0]'],
    ['http', 'http://app.example.test'],
    ['http of a look-alike of localhost', 'http://localhost.example.test'],
    ['http of a look-alike of 127.0.0.1', 'http://127.0.0.1.example.test'],
    ['http of another machine at home', 'http://192.168.0.2:3000'],
    ['ftp', 'ftp://app.example.test'],
    ['a file', 'file:///index.html'],
    ['an extension', 'chrome-extension://abcdefghijklmnop'],
    ['an unknown shell of an app', 'tauri://localhost'],
    ['a shell with a port', 'capacitor://localhost:8100'],
    ['a shell of another name', 'ionic://app.example.test'],
    ['a page of a shell', 'capacitor://localhost/'],
    ['a script', 'javascript://app.example.test'],
    ['a socket', 'wss://app.example.test'],
    ['too many characters', `https://${'a'.repeat(60)}.${'b.'.repeat(130)}test`],
    ['a label of 64', `https://${'a'.repeat(64)}.test`],
  ])('rejects %s', (_, text) => {
    const read = WebOrigin.safeParse(text);
    expect(read.success ? read.data : read.error.issues[0]?.message).toMatch(/^[A-Z].* /);
  });
});

describe('SetAllowedOriginsInput', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `https://app${index}.example.test`);

  test('removes duplicates in any spelling', () => {
    const origins = ['https://b.example.test', APP, 'HTTPS://APP.example.test:443'];
    expect(SetAllowedOriginsInput.parse({ origins }).origins).toEqual([APP, 'https://b.example.test']);
  });

  test('accepts up to 20 origins, or none', () => {
    for (const count of [0, 20])
      expect(SetAllowedOriginsInput.parse({ origins: many(count) }).origins).toHaveLength(count);
    expect(SetAllowedOriginsInput.safeParse({ origins: many(21) }).success).toBe(false);
  });

  test('reports which origin is invalid', () => {
    const read = SetAllowedOriginsInput.safeParse({ origins: [APP, 'http://app.example.test'] });
    expect(read.error?.issues).toMatchObject([{ path: ['origins', 1], message: 'Begin it with https://' }]);
  });

  test.each([[{}], [{ origins: APP }], [{ origins: [null] }], [{ origins: [APP], more: 1 }]])('rejects %j', (input) => {
    expect(SetAllowedOriginsInput.safeParse(input).success).toBe(false);
  });
});

describe('isLocalOrigin', () => {
  test.each([
    'http://localhost',
    'https://localhost:3000',
    'http://localhost.:3000',
    'http://127.0.0.1:65535',
    'http://127.8.9.1',
    'http://[::1]:3000',
    'http://clinic.app.localhost:3000',
  ])('accepts %s', (origin) => expect(isLocalOrigin(origin)).toBe(true));

  test.each([
    'null',
    '',
    'localhost',
    'http://localhost.example.test',
    'http://127.0.0.1.example.test',
    'http://notlocalhost',
    'http://localhost:3000.example.test',
    'http://localhost@example.test',
    'http://localhost:',
    'http://localhost/',
    'http://128.0.0.1',
    'http://[::2]',
    'ftp://localhost',
    ' http://localhost',
    'http://localhost\n',
  ])('rejects %j', (origin) => expect(isLocalOrigin(origin)).toBe(false));
});

describe('AppAddress', () => {
  test.each([
    [`${APP}/join`, `${APP}/join`],
    [APP, `${APP}/`],
    [`  HTTPS://App.Example.TEST/Join?from=mail `, `${APP}/Join?from=mail`],
    [`${APP}:443/a b`, `${APP}/a%20b`],
    ['https://bücher.example.test/', 'https://xn--bcher-kva.example.test/'],
    ['http://localhost:5173/join', 'http://localhost:5173/join'],
    [`${APP}\\@elsewhere.example.test`, `${APP}/@elsewhere.example.test`],
  ])('parses %s as %s', (text, address) => {
    expect(AppAddress.parse(text)).toBe(address);
    expect(isOnWebsite(address, [new URL(address).origin], 'production')).toBe(true);
  });

  test.each([
    ['app.example.test/join', 'Write it whole, as in https://app.example.org/invitation'],
    ['/join', 'Write it whole, as in https://app.example.org/invitation'],
    ['https:///join', 'Write it whole, as in https://app.example.org/invitation'],
    ['javascript:alert(1)', 'Write it whole, as in https://app.example.org/invitation'],
    ['javascript://app.example.test/%0aalert(1)', 'Begin it with https://'],
    ['http://app.example.test/join', 'Begin it with https://'],
    ['capacitor://localhost/join', 'Begin it with https://'],
    ['ionic://localhost', 'Begin it with https://'],
    [`${APP}/#/join`, 'Leave out # and what follows: what your page needs is put there'],
    [`${APP}/join#`, 'Leave out # and what follows: what your page needs is put there'],
    [`https://ada:secret@app.example.test/join`, 'Leave out the user name and the password'],
    ['https://*.example.test/join', 'Write each address by itself, without *'],
    ['https://app.example.test:99999/join', 'Write it whole, as in https://app.example.org/invitation'],
    ['https://app%2eexample.test/join', 'This is not an address of a website'],
  ])('rejects %s with a message for users', (text, why) => {
    expect(AppAddress.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([why]);
  });

  test('isOnWebsite() compares the whole origin, and accepts local addresses in a sandbox', () => {
    for (const other of ['https://app.example.test.evil.test/', `${APP}:8443/`, 'https://example.test/'])
      expect(isOnWebsite(other, [APP], 'sandbox'), other).toBe(false);
    expect(isOnWebsite('http://localhost:3000/x', [], 'sandbox')).toBe(true);
    expect(isOnWebsite('http://localhost:3000/x', [APP], 'production')).toBe(false);
  });
});
