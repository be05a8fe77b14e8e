import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { nextMessage } from './testing.ts';

describe('nextMessage()', () => {
  let inbox: FakeApi;
  const ask = (more: object = {}) => nextMessage({ inboxUrl: `${inbox.url}/`, to: '+12025550101', ...more });
  const message = (id: string, text: string) => ({ id, kind: 'sms', text });
  beforeAll(async () => {
    inbox = await startFakeApi();
  });
  afterAll(() => inbox.stop());

  test('returns the latest message, or the first after an instant or another message, with its code', async () => {
    const two = { body: [message('msg_2', 'Your code: 654321.'), message('msg_1', 'Code 123456')] };
    inbox.answer(two);
    expect(await ask()).toMatchObject({ id: 'msg_2', code: '654321' });
    expect(await ask({ after: new Date(0) })).toMatchObject({ id: 'msg_1', code: '123456' });
    expect(await ask({ after: 'msg_0', wait: 5 })).toMatchObject({ id: 'msg_1' });
    expect(inbox.seen.map(({ url }) => url)).toEqual([
      '/messages?to=%2B12025550101&wait=20',
      '/messages?to=%2B12025550101&after=1970-01-01T00%3A00%3A00.000Z&wait=20',
      '/messages?to=%2B12025550101&after=msg_0&wait=5',
    ]);
    inbox.answer({ body: [message('msg_3', '0123456789 is your code for +12025550101.')] });
    expect((await ask()).code).toBe('0123456789');
    const none = 'No code at all, nor 1234567, +12025550101, https://example.test/visit#1764000000.x~a.b';
    inbox.answer({ body: [message('msg_4', none)] });
    expect((await ask()).code).toBeNull();
  });

  test('waits for a message, also while the inbox is busy, until the timeout', async () => {
    inbox.answer({ status: 429, body: { error: 'Many wait.' } }, { body: [] }, { body: [message('msg_4', '')] });
    expect(await ask()).toMatchObject({ id: 'msg_4' });
    inbox.answer({ body: [] });
    await expect(ask({ wait: 0 })).rejects.toMatchObject({ code: 'timeout' });
    expect(inbox.seen.length).toBe(1);
  });

  test('throws when the inbox rejects the request', async () => {
    inbox.answer({ status: 400, body: { error: 'after is the id of a message' } });
    await expect(ask({ after: 'yesterday' })).rejects.toMatchObject({ code: 'unexpected_answer', status: 400 });
  });
});
