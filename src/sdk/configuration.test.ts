import { describe, expect, test } from 'vitest';
import { readConfiguration } from './client.ts';
import { credentials, passwordless, user } from './node.ts';

const CONTENT = {
  v: 1,
  env: 'sandbox',
  flow: 'passwordless',
  api: 'http://localhost:3000/api/v1',
  auth: 'http://localhost:3000/identity',
  tenant_id: 't',
  client_id: 'c',
};
const token = (changes: object = {}, env = 'sandbox') =>
  `care_${env}_${Buffer.from(JSON.stringify({ ...CONTENT, ...changes })).toString('base64url')}`;
const errorCodeOf = (text: unknown, environment?: string) => {
  try {
    readConfiguration(text as string, 'passwordless', environment);
  } catch (error) {
    const { name, code } = error as { name: string; code: string };
    expect(name).toBe('ConfigurationError');
    return code;
  }
  return 'accepted';
};

describe('a configuration token', () => {
  test('is parsed, ignoring white space around it', () => {
    expect(readConfiguration(` ${token()}\n`, 'passwordless', 'sandbox')).toMatchObject({
      env: 'sandbox',
      auth: CONTENT.auth,
      clientId: 'c',
      tenantId: 't',
    });
  });

  test('is rejected with a code that names the problem', () => {
    for (const text of ['', 'x', null, undefined, 7, {}, 'care_', 'care_sandbox_', 'pk_sandbox_abc', `${token()}=`])
      expect(errorCodeOf(text), String(text)).toBe('malformed_configuration');
    expect(errorCodeOf(token({ flow: 'credentials' }))).toBe('wrong_flow');
    expect(errorCodeOf(token({ env: 'production' }))).toBe('wrong_environment');
    expect(errorCodeOf(token({ env: 'production' }, 'production'), 'sandbox')).toBe('wrong_environment');
    expect(errorCodeOf(token({ v: 2 }))).toBe('unsupported_version');
    expect(errorCodeOf(token({ auth: undefined }))).toBe('malformed_configuration');
    expect(errorCodeOf(token({ auth: 'javascript:alert(1)' }))).toBe('malformed_configuration');
    expect(errorCodeOf(token({ env: 'production' }, 'production'))).toBe('malformed_configuration');
  });

  test('is rejected when it is cut off at any position', () => {
    const complete = token();
    for (let length = 0; length < complete.length; length++)
      expect(errorCodeOf(complete.slice(0, length)), `${length}`).toMatch(/^(malformed|truncated)_configuration$/);
  });

  test('is required before any other call; the error names the flow to configure', async () => {
    await expect(passwordless.signIn('2025550123')).rejects.toThrow('passwordless.configure');
    await expect(credentials.signIn('ada@example.test', 'x')).rejects.toMatchObject({ code: 'not_configured' });
    for (const call of [user.getAccessToken, user.signOut, user.getPayload])
      await expect(call()).rejects.toMatchObject({ code: 'not_configured' });
  });

  test('contains the URL of the API', () => {
    const service = passwordless.configure(token());
    expect(service).toEqual({ baseUrl: CONTENT.api, environment: 'sandbox' });
  });
});
