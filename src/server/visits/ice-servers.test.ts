import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Config } from '#server/core/config.ts';
import { iceServers } from './ice-servers.ts';

const LAST_MS = 5_400_000;
const SECRET = 'a-secret-of-the-relay-alone';
const at = (video: Config['video']) => ({
  config: { video } as Config,
  clock: { now: () => new Date('2027-03-01T15:00:00.400Z') },
});

test('returns no servers without settings', () => {
  expect(iceServers(at({ stunUrls: [], turn: null }), 'seat-1', LAST_MS)).toEqual([]);
});

test('returns a relay username with an expiry, and its HMAC with the shared secret as password', () => {
  const urls = ['turn:turn.example.test:3478?transport=udp'];
  const [stun, turn] = iceServers(
    at({ stunUrls: ['stun:turn.example.test'], turn: { urls, secret: SECRET } }),
    'seat-1',
    LAST_MS,
  );
  expect(stun).toEqual({ urls: ['stun:turn.example.test'] });
  expect(turn?.urls).toEqual(urls);
  const [expiry, seat] = turn!.username!.split(':');
  expect(new Date(1000 * Number(expiry))).toEqual(new Date('2027-03-01T16:30:00Z'));
  expect(seat).toMatch(/^[\w-]{16}$/);
  expect(turn?.credential).toBe(createHmac('sha1', SECRET).update(turn!.username!).digest('base64'));
});

test('hides the seat id from the relay, and two seats get different usernames', () => {
  const turn = { urls: ['turn:turn.example.test'], secret: SECRET };
  const named = (who: string) => iceServers(at({ stunUrls: [], turn }), who, LAST_MS)[0]!.username!;
  expect(named('0198-patient')).not.toContain('0198');
  expect(named('seat-1')).not.toBe(named('seat-2'));
  expect(named('seat-1')).toBe(named('seat-1'));
});
