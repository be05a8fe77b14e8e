import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = JSON.stringify({ id: 'msg', type: 'appointment.scheduled', object_id: 'a', sequence: 7 });

const signedHeaders = (body = BODY, date = new Date(), secret = SECRET): Record<string, string> => ({
  'webhook-id': 'msg',
  'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('msg', date, body),
});

describe('verifyWebhook()', () => {
  test('accepts text or bytes, with the headers of Node, of a Request, or a plain object', () => {
    const event = { type: 'appointment.scheduled', sequence: 7 };
    expect(verifyWebhook(BODY, signedHeaders(), SECRET)).toMatchObject(event);
    expect(verifyWebhook(Buffer.from(BODY), new Headers(signedHeaders()), SECRET)).toMatchObject(event);
    const capitals = Object.fromEntries(
      Object.entries(signedHeaders()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(verifyWebhook(BODY, { ...capitals, cookie: undefined, accept: ['a', 'b'] }, SECRET)).toMatchObject(event);
  });

  test('accepts either secret during a rotation', () => {
    const [oldHeaders, newHeaders] = [
      signedHeaders(),
      signedHeaders(BODY, new Date(), 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
    ];
    const bothHeaders = {
      ...oldHeaders,
      'webhook-signature': `${newHeaders['webhook-signature']} ${oldHeaders['webhook-signature']}`,
    };
    expect(verifyWebhook(BODY, bothHeaders, SECRET)).toMatchObject({ sequence: 7 });
  });

  test.each([
    ['changed', `${BODY} `, signedHeaders()],
    ['of another secret', BODY, signedHeaders(BODY, new Date(), 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')],
    ['of an hour ago', BODY, signedHeaders(BODY, new Date(Date.now() - 3_600_000))],
    ['of tomorrow', BODY, signedHeaders(BODY, new Date(Date.now() + 86_400_000))],
    ['not signed', BODY, {}],
    ['signed with nonsense', BODY, { ...signedHeaders(), 'webhook-signature': 'v1,AAAA' }],
    ['without a time', BODY, { ...signedHeaders(), 'webhook-timestamp': 'now' }],
  ])('rejects a message that is %s', (_, body, headers) => {
    expect(() => verifyWebhook(body, headers, SECRET)).toThrow(WebhookVerificationError);
  });

  test('an invalid secret throws another error than a forged message', () => {
    expect(() => verifyWebhook(BODY, signedHeaders(), '')).toThrow(Error);
    expect(() => verifyWebhook(BODY, signedHeaders(), '')).not.toThrow(WebhookVerificationError);
  });
});
