import { describe, expect, test } from 'vitest';
import { readTokenTimes } from './session.ts';

const MINUTE = 60_000;
const TRUE_NOW = Date.parse('2026-03-01T12:00:00Z');
const encode = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const tokens = (access_token = encode({ iat: TRUE_NOW / 1000, exp: TRUE_NOW / 1000 + 3600 })) =>
  ({ access_token, expires_in: 3600, refresh_expires_at: '2026-03-31T12:00:00Z' }) as never;

describe('the expiry of a token by the clock of the device', () => {
  test.each([0, 10, -10])(
    'with a clock %d minutes ahead, no expired token is used, even after the clock is corrected',
    (minutes) => {
      const now = TRUE_NOW + minutes * MINUTE;
      const { accessExpiresAt, refreshExpiresAt } = readTokenTimes(tokens(), now);
      expect(accessExpiresAt - now).toBeLessThanOrEqual(60 * MINUTE);
      expect(accessExpiresAt).toBeLessThanOrEqual(TRUE_NOW + 60 * MINUTE);
      expect(accessExpiresAt - now).toBeGreaterThanOrEqual(50 * MINUTE);
      expect(refreshExpiresAt - now).toBe(30 * 24 * 60 * MINUTE);
    },
  );

  test.each([-100, 100])('with a clock %d days off, a token is still used for 45 minutes', (days) => {
    const now = TRUE_NOW + days * 24 * 60 * MINUTE;
    const remaining = readTokenTimes(tokens(), now).accessExpiresAt - now;
    expect(remaining).toBeGreaterThanOrEqual(45 * MINUTE);
    expect(remaining).toBeLessThanOrEqual(60 * MINUTE);
  });

  test.each(['opaque', 'a.b.c', 'e30..', encode({}), encode({ iat: 'x', exp: null })])(
    'uses durations when the token has no claims (%s)',
    (token) => {
      const { accessExpiresAt, refreshExpiresAt } = readTokenTimes(tokens(token), TRUE_NOW);
      expect(accessExpiresAt).toBe(TRUE_NOW + 60 * MINUTE);
      expect(refreshExpiresAt).toBe(Date.parse('2026-03-31T12:00:00Z'));
    },
  );
});
