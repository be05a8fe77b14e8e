import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = JSON.stringify({ id: 'msg', type: 'appointment.scheduled', object_id: 'a', sequence: 7 });

const signed = (body = BODY, at = new Date(), secret = SECRET): Record<string, string> => ({
  'webhook-id': 'msg',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('msg', at, body),
});

describe('verifyWebhook()', () => {
  test('accepts text or bytes, with the headers of Node, of a Request, or a plain object', () => {
    const event = { type: 'appointment.scheduled', sequence: 7 };
    expect(verifyWebhook(BODY, signed(), SECRET)).toMatchObject(event);
    expect(verifyWebhook(Buffer.from(BODY), new Headers(signed()), SECRET)).toMatchObject(event);
    const capitals = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    expect(verifyWebhook(BODY, { ...capitals, cookie: undefined, accept: ['a', 'b'] }, SECRET)).toMatchObject(event);
  });

  test('accepts either secret during a rotation', () => {
    const [old, fresh] = [signed(), signed(BODY, new Date(), 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')];
    const both = { ...old, 'webhook-signature': `${fresh['webhook-signature']} ${old['webhook-signature']}` };
    expect(verifyWebhook(BODY, both, SECRET)).toMatchObject({ sequence: 7 });
  });

  test.each([
    ['changed', `${BODY} `, signed()],
    ['of another secret', BODY, signed(BODY, new Date(), 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')],
    ['of an hour ago', BODY, signed(BODY, new Date(Date.now() - 3_600_000))],
    ['of tomorrow', BODY, signed(BODY, new Date(Date.now() + 86_400_000))],
    ['not signed', BODY, {}],
    ['signed with nonsense', BODY, { ...signed(), 'webhook-signature': 'v1,AAAA' }],
    ['without a time', BODY, { ...signed(), 'webhook-timestamp': 'now' }],
  ])('rejects a message that is %s', (_, body, headers) => {
    expect(() => verifyWebhook(body, headers, SECRET)).toThrow(WebhookVerificationError);
  });

  test('an invalid secret throws another error than a forged message', () => {
    expect(() => verifyWebhook(BODY, signed(), '')).toThrow(Error);
    expect(() => verifyWebhook(BODY, signed(), '')).not.toThrow(WebhookVerificationError);
  });
});
