import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { nextMessage } from './testing.ts';

describe('nextMessage()', () => {
  let inbox: FakeApi;
  const next = (options: object = {}) => nextMessage({ inboxUrl: `${inbox.url}/`, to: '+12025550101', ...options });
  const message = (id: string, text: string) => ({ id, kind: 'sms', text });
  beforeAll(async () => {
    inbox = await startFakeApi();
  });
  afterAll(() => inbox.stop());

  test('returns the latest message, or the first after an instant or another message, with its code', async () => {
    const twoMessages = { body: [message('msg_2', 'Your code: 654321.'), message('msg_1', 'Code 123456')] };
    inbox.respondWith(twoMessages);
    expect(await next()).toMatchObject({ id: 'msg_2', code: '654321' });
    expect(await next({ after: new Date(0) })).toMatchObject({ id: 'msg_1', code: '123456' });
    expect(await next({ after: 'msg_0', wait: 5 })).toMatchObject({ id: 'msg_1' });
    expect(inbox.requests.map(({ url }) => url)).toEqual([
      '/messages?to=%2B12025550101&wait=20',
      '/messages?to=%2B12025550101&after=1970-01-01T00%3A00%3A00.000Z&wait=20',
      '/messages?to=%2B12025550101&after=msg_0&wait=5',
    ]);
    inbox.respondWith({ body: [message('msg_3', '0123456789 is your code for +12025550101.')] });
    expect((await next()).code).toBe('0123456789');
    const none = 'No code at all, nor 1234567, +12025550101, https://example.test/visit#1764000000.x~a.b';
    inbox.respondWith({ body: [message('msg_4', none)] });
    expect((await next()).code).toBeNull();
  });

  test('waits for a message, also while the inbox is busy, until the timeout', async () => {
    inbox.respondWith({ status: 429, body: { error: 'Many wait.' } }, { body: [] }, { body: [message('msg_4', '')] });
    expect(await next()).toMatchObject({ id: 'msg_4' });
    inbox.respondWith({ body: [] });
    await expect(next({ wait: 0 })).rejects.toMatchObject({ code: 'timeout' });
    expect(inbox.requests.length).toBe(1);
  });

  test('throws when the inbox rejects the request', async () => {
    inbox.respondWith({ status: 400, body: { error: 'after is the id of a message' } });
    await expect(next({ after: 'yesterday' })).rejects.toMatchObject({ code: 'unexpected_answer', status: 400 });
  });
});
