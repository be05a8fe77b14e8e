import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { parseTarget } from '#server/providers/public-address.ts';
import { createWebhookClient } from '#server/providers/webhook-http.ts';
import { acceptedTargets, internalRequests } from '../invariants/webhook-targets.ts';

const production = { environment: 'production' as const, webhookRanges: [] };
const sandbox = { environment: 'sandbox' as const, webhookRanges: [] };
const message = { headers: { 'webhook-id': 'a' }, body: '{}', signal: new AbortController().signal };

test('intact: no spelling, name or redirect reaches an internal server', async () => {
  expect(acceptedTargets((url) => parseTarget(url, production))).toEqual([]);
  const ways = await internalRequests({
    async byName(url, resolve) {
      const client = createWebhookClient(production, { resolve });
      await client.send({ url, ...message });
      await client.close();
    },
    async byRedirect(url) {
      const client = createWebhookClient(sandbox);
      await client.send({ url, ...message });
      await client.close();
    },
  });
  expect(ways).toEqual([]);
});

test('T15: detects a check of an address by its spelling', () => {
  const PRIVATE = /^https:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]|\[f[cd])/i;
  const leaks = acceptedTargets((url) => {
    if (PRIVATE.test(url) || new URL(url).protocol !== 'https:') throw new Error('refused');
  });
  expect(leaks).toEqual(
    expect.arrayContaining(['https://2130706433/', 'https://0x7f000001/', 'https://[::ffff:7f00:1]/']),
  );
});

test('T15: detects a name that is checked only at creation, and a followed redirect', async () => {
  const ways = await internalRequests({
    byName: (url, resolve) =>
      new Promise((done) => {
        const { hostname: host, port } = parseTarget(url, production);
        const socket = connect({ host, port: Number(port), lookup: resolve as never });
        socket.on('close', done).on('error', done);
      }),
    byRedirect: (url) => fetch(url, { method: 'POST', body: '{}' }),
  });
  expect(ways).toEqual(['a name', 'a redirect']);
});
