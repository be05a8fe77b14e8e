import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const sandbox = {
  CARELANE_ENV: 'sandbox',
  PUBLIC_URL: 'http://localhost:3000/',
  DATABASE_URL: 'postgresql://carelane@localhost/carelane',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
};
const production = {
  ...sandbox,
  CARELANE_ENV: 'production',
  PUBLIC_URL: 'https://care.example.test',
  DATABASE_URL: 'postgresql://carelane@db.example.test/carelane?sslmode=verify-full',
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
};
const faultsOf = (env: Record<string, string | undefined>): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

describe('readConfig', () => {
  it('waits for the load balancer before a shutdown in production, and not in a sandbox', () => {
    expect([readConfig(production).drainMs, readConfig(sandbox).drainMs]).toEqual([5000, 0]);
    expect(readConfig({ ...sandbox, DRAIN_MS: '250' }).drainMs).toBe(250);
    expect(faultsOf({ ...sandbox, DRAIN_MS: '-1' })).toContain('DRAIN_MS is wrong');
  });

  it('splits the connections of a process between pool, worker and listener', () => {
    const poolOf = (env: object) => readConfig({ ...sandbox, ...env }).database.poolSize;
    expect([poolOf({}), poolOf({ DATABASE_CONNECTIONS: '9' })]).toEqual([13, 2]);
    expect(poolOf({ DATABASE_CONNECTIONS: '3', WORKER: 'off' })).toBe(2);
    expect(faultsOf({ ...sandbox, DATABASE_CONNECTIONS: '8' })).toBe(
      'DATABASE_CONNECTIONS must be 9 or more, of which the worker has 6 and who waits for events 1, unless WORKER=off.',
    );
    expect(faultsOf({ ...sandbox, DATABASE_CONNECTIONS: '2', WORKER: 'off' })).toContain(
      'DATABASE_CONNECTIONS is wrong',
    );
  });

  it('derives the base URL, the issuer and the video URL from PUBLIC_URL', () => {
    expect(readConfig(sandbox)).toMatchObject({
      baseUrl: 'http://localhost:3000/api/v1',
      issuer: 'http://localhost:3000/identity',
      videoBaseUrl: 'http://localhost:3000/visit',
    });
  });
  it('reads the STUN and TURN servers, or none', () => {
    expect(readConfig(sandbox).video).toEqual({ stunUrls: [], turn: null });
    const named = {
      VIDEO_STUN_URLS: 'stun:turn.example.test, stuns:[2001:db8::1]:5349',
      VIDEO_TURN_URLS: 'turn:turn.example.test:3478?transport=udp,turns:192.0.2.7:443?transport=tcp',
      VIDEO_TURN_SECRET: 'a-secret-of-the-relay-alone',
    };
    expect(readConfig({ ...sandbox, ...named }).video).toEqual({
      stunUrls: ['stun:turn.example.test', 'stuns:[2001:db8::1]:5349'],
      turn: {
        urls: ['turn:turn.example.test:3478?transport=udp', 'turns:192.0.2.7:443?transport=tcp'],
        secret: 'a-secret-of-the-relay-alone',
      },
    });
  });
  it.each([
    'turn:a',
    'stun://a',
    'stun:user@a',
    'stun:a:0',
    'stun:a:65536',
    'stun:a?transport=udp',
    'https://a',
    'stun:a b',
    'stun:',
    Array.from({ length: 9 }, (_, n) => `stun:s${n}.example.test`).join(),
  ])('rejects "%s" as a STUN server', (VIDEO_STUN_URLS) => {
    expect(faultsOf({ ...sandbox, VIDEO_STUN_URLS })).toContain('VIDEO_STUN_URLS is wrong');
  });
  it.each(['stun:a', 'turn:a?transport=sctp', 'turn:u:p@a', 'turn:a/path', 'turn:a:99999?transport=udp'])(
    'rejects "%s" as a TURN server',
    (VIDEO_TURN_URLS) => {
      expect(faultsOf({ ...sandbox, VIDEO_TURN_URLS, VIDEO_TURN_SECRET: 's'.repeat(24) })).toContain(
        'VIDEO_TURN_URLS is wrong',
      );
    },
  );
  it('accepts production settings with real providers', () => {
    expect(faultsOf(production)).toBe('');
  });
  it.each([
    [{ DATABASE_URL: undefined }, 'DATABASE_URL is not set.'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL is wrong: must start with postgresql://.'],
    [{ ENCRYPTION_KEY: 'short' }, 'ENCRYPTION_KEY is wrong: must be 32 bytes in base64'],
    [{ PORT: 'abc' }, 'PORT is wrong'],
    [{ TWILIO_FROM: '+12025550100' }, 'must be set together'],
    [{ MAIL_FROM: 'Carelane' }, 'MAIL_FROM is wrong: must be an address'],
    [{ MAIL_FROM: 'a@example.test, b@example.test' }, 'MAIL_FROM is wrong: must be an address'],
    [{ MAIL_WEBHOOK_SECRET: `whsec_${'*'.repeat(32)}` }, 'MAIL_WEBHOOK_SECRET is wrong'],
    [{ VIDEO_TURN_URLS: 'turn:a.example.test' }, 'VIDEO_TURN_URLS and VIDEO_TURN_SECRET must be set together'],
    [{ VIDEO_TURN_SECRET: 's'.repeat(24) }, 'VIDEO_TURN_URLS and VIDEO_TURN_SECRET must be set together'],
    [{ VIDEO_TURN_SECRET: 'short' }, 'VIDEO_TURN_SECRET is wrong: must be at least 24 characters'],
    [{ DATABASE_TLS: 'verify' }, 'DATABASE_URL must say sslmode=verify-full'],
    [{ STRIPE_SECRET_KEY: 'sk_live_x' }, 'a live key, which a sandbox refuses'],
  ])('rejects sandbox settings with a sentence for %o', (change, sentence) => {
    expect(faultsOf({ ...sandbox, ...change })).toContain(sentence);
  });
  it.each([
    [{ PUBLIC_URL: 'http://care.example.test' }, 'PUBLIC_URL must be an https address'],
    [{ STRIPE_API_URL: 'http://127.0.0.1:4000' }, 'STRIPE_API_URL points to an emulator'],
    [{ ACUITY_API_URL: 'https://localhost:4000' }, 'ACUITY_API_URL points to an emulator'],
    [{ STRIPE_SECRET_KEY: 'sk_test_x' }, 'a test key, which production refuses'],
    [{ VIDEO_BASE_URL: 'http://video.example.test' }, 'VIDEO_BASE_URL must be an https address'],
    [{ DATABASE_TLS: 'maybe' }, 'DATABASE_TLS is wrong'],
    [{ SMTP_TLS: 'maybe' }, 'SMTP_TLS is wrong'],
    [{ ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }, 'ENCRYPTION_KEY is a default secret'],
    [{ SESSION_SECRET: 'change-me-change-me-change-me-change-me' }, 'SESSION_SECRET is a default secret'],
    [{ MAIL_WEBHOOK_SECRET: 'change-me-change-me-change-me' }, 'MAIL_WEBHOOK_SECRET is a default secret'],
    [{ VIDEO_TURN_SECRET: 'change-me-change-me-change-me' }, 'VIDEO_TURN_SECRET is a default secret'],
    [{ TWILIO_AUTH_TOKEN: 'change-me' }, 'TWILIO_AUTH_TOKEN is a default secret'],
  ])('rejects production settings with a sentence for %o', (change, sentence) => {
    expect(faultsOf({ ...production, ...change })).toContain(sentence);
  });
  it.each(['', '?sslmode=require', '?sslmode=verify-ca', '?sslmode=verify-full&sslmode=disable', '?ssl=true'])(
    'rejects a production database that is reached with "%s", unless DATABASE_TLS=off',
    (query) => {
      const DATABASE_URL = `postgresql://carelane:pw-in-address@db.example.test/carelane${query}`;
      const faults = faultsOf({ ...production, DATABASE_URL });
      expect(faults).toContain('DATABASE_URL must say sslmode=verify-full');
      expect(faults).not.toContain('pw-in-address');
      expect(faultsOf({ ...production, DATABASE_URL, DATABASE_TLS: 'off' })).toBe('');
    },
  );
  it('requires STARTTLS of the mail server in production, unless SMTP_TLS=off', () => {
    const SMTP_URL = 'smtp://mail.example.test';
    const requireTls = (env: Record<string, string>) => readConfig({ ...env, SMTP_URL }).mail?.requireTls;
    expect(requireTls(production)).toBe(true);
    expect(requireTls({ ...production, SMTP_TLS: 'off' })).toBe(false);
    expect(requireTls(sandbox)).toBe(false);
    expect(requireTls({ ...sandbox, SMTP_TLS: 'require' })).toBe(true);
  });
  it.each([
    ['care@example.test', { name: '', address: 'care@example.test' }],
    ['Care <care@example.test>', { name: 'Care', address: 'care@example.test' }],
    ['"Care, Inc." <care@example.test>', { name: 'Care, Inc.', address: 'care@example.test' }],
    [undefined, { name: 'Carelane', address: 'no-reply@localhost' }],
  ])('parses the sender %s', (MAIL_FROM, from) => {
    expect(readConfig({ ...sandbox, SMTP_URL: 'smtp://mail.example.test', MAIL_FROM }).mail?.from).toEqual(from);
  });
  it('reports all faults at once, and never a value', () => {
    const faults = faultsOf({ ...sandbox, SESSION_SECRET: 'tiny-secret', PORT: '99999999' });
    expect(faults.split('\n')).toHaveLength(2);
    expect(faults).not.toContain('tiny-secret');
  });
});
