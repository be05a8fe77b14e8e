import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStripeEmulator } from '#emulators/stripe/index.ts';
import type { Services } from '#server/core/context.ts';
import { listCodes } from '#server/messages/list-codes.ts';
import { sendMail } from '#server/providers/mail.ts';
import { sendSms } from '#server/providers/sms.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, testServices } from './services.ts';

const LONG_AGO = '2026-01-01T00:00:00Z';
const PHONE = '+12025550142';
type StripeWindow = { Stripe?: { version: string } & ((key: string, options: object) => object) };

describe('the endpoints of a sandbox outside the API', () => {
  let clinic: Clinic;
  let stripe: Awaited<ReturnType<ReturnType<typeof createStripeEmulator>['start']>>;
  let services: Services;
  let server: { url: string; stop(): Promise<void> };
  let tenantId: string;

  beforeAll(async () => {
    stripe = await createStripeEmulator({
      secretKeys: [STRIPE_SECRET_KEY],
      publishableKeys: [STRIPE_PUBLISHABLE_KEY],
    }).start();
    clinic = await withClinic({
      inbox: true,
      twilio: true,
      env: { STRIPE_API_URL: stripe.url, STRIPE_JS_URL: `${stripe.url}/endive/stripe.js` },
    });
    ({ services } = clinic);
    server = await serveHandlers(services);
    tenantId = clinic.tenant.id;
  });
  afterAll(async () => {
    await server?.stop();
    await stripe?.stop();
    await clinic?.stop();
  });

  const script = (init: RequestInit = {}, url = server.url) => fetch(`${url}/api/sandbox/stripe.js`, init);
  const codes = (body: unknown, init: RequestInit = {}, url = server.url) =>
    fetch(`${url}/api/sandbox/codes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    });
  const codesOf = async (to: string, after = LONG_AGO): Promise<string[]> =>
    (await (await codes({ to, after })).json()).items.map(({ code }: { code: string }) => code);
  /** Sends one request to a server with another configuration. */
  async function elsewhere(change: Partial<Services['config']>, send: (url: string) => Promise<Response>) {
    const other = await serveHandlers({ ...services, config: { ...services.config, ...change } });
    try {
      const response = await send(other.url);
      return { status: response.status, code: (await response.json()).errors[0].code };
    } finally {
      await other.stop();
    }
  }

  describe('Stripe’s script', () => {
    test('is configured with the service’s own origin only in a sandbox with the Stripe emulator', () => {
      expect(services.config.stripe.scriptUrl).toBe('http://127.0.0.1:3000/api/sandbox/stripe.js');
      const own = testServices(clinic.database, {});
      expect(own.config.stripe.scriptUrl).toBeNull();
      return own.close();
    });

    test('runs on any page and calls the Stripe emulator', async () => {
      const response = await script({ headers: { origin: 'http://localhost:5173' } });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      const called: string[] = [];
      const window: StripeWindow = {};
      const page = createContext({
        window,
        URLSearchParams,
        fetch: async (url: string) => {
          called.push(url);
          return { json: async () => ({ id: 'pi_1', status: 'succeeded' }) };
        },
      });
      runInContext(await response.text(), page);
      expect(window.Stripe!.version).toBe('endive');
      const opened = window.Stripe!('pk_test_x', { stripeAccount: 'acct_1' }) as {
        retrievePaymentIntent(secret: string): Promise<object>;
      };
      await opened.retrievePaymentIntent('pi_1_secret_x');
      expect(called[0]).toContain(`${stripe.url}/v1/payment_intents/pi_1?key=pk_test_x&_stripe_account=acct_1`);
    });

    test('accepts no input, and does not exist in production or with Stripe itself', async () => {
      expect((await script({ method: 'HEAD' })).status).toBe(200);
      const posted = await script({ method: 'POST' });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect((await fetch(`${server.url}/api/sandbox/stripe.js/x`)).status).toBe(404);
      const notFound = { status: 404, code: 'route_not_found' };
      expect(await elsewhere({ environment: 'production' }, (url) => script({}, url))).toEqual(notFound);
      const ofStripe = { ...services.config.stripe, jsUrl: null, scriptUrl: null };
      expect(await elsewhere({ stripe: ofStripe }, (url) => script({}, url))).toEqual({
        status: 404,
        code: 'not_found',
      });
    });

    test('returns provider_unavailable while the Stripe emulator is down', async () => {
      const unreachable = { ...services.config.stripe, jsUrl: 'http://127.0.0.1:9/stripe.js' };
      const response = await elsewhere({ stripe: unreachable }, (url) => script({}, url));
      expect(response.code).toBe('provider_unavailable');
    });
  });

  describe('the codes that a patient was sent', () => {
    beforeAll(async () => {
      const stamp = { tenantId };
      await sendSms(services.config, { to: PHONE, text: '418205 is your code.', stamp });
      await sendSms(services.config, { to: '+12025550143', text: '999999 is your code.', stamp });
      const mail = { to: 'ada@example.test', subject: 'Confirm', html: '' };
      await sendMail(services, { ...mail, text: 'Your code: 774411', stamp });
      await sendMail(services, { ...mail, text: 'Not a code', stamp });
      await sendMail(services, {
        ...mail,
        text: 'A colleague’s: 123123',
        stamp: { tenantId, staffUserId: '0198d3a0-0000-7000-8000-000000000001' },
      });
    });

    test('are listed for one address in any number format, and never those of staff users', async () => {
      expect(await codesOf(PHONE)).toEqual(['418205']);
      expect(await codesOf('(202) 555-0142')).toEqual(['418205']);
      expect(await codesOf('Ada@Example.test')).toEqual(['774411']);
      expect(await codesOf('unknown@example.test')).toEqual([]);
      expect(await codesOf(PHONE, new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    });

    test('are validated strictly', async () => {
      const rejections = async (body: unknown, init?: RequestInit) => (await codes(body, init)).status;
      expect(await rejections({ to: PHONE })).toBe(422);
      expect(await rejections({ to: PHONE, after: 'yesterday' })).toBe(422);
      expect(await rejections({ to: PHONE, after: LONG_AGO, all: true })).toBe(422);
      expect(await rejections([], {})).toBe(400);
      expect(await rejections({}, { headers: { 'content-type': 'text/plain' } })).toBe(415);
      expect((await fetch(`${server.url}/api/sandbox/codes`)).status).toBe(405);
    });

    test('cannot be read by a page of another origin', async () => {
      const headers = { 'content-type': 'application/json', origin: 'http://localhost:5173' };
      const response = await codes({ to: PHONE, after: LONG_AGO }, { headers });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });

    test('are served to this machine only, and never in production', async () => {
      const query = { to: PHONE, after: LONG_AGO };
      const here = { ip: '::ffff:127.0.0.1', host: 'localhost:3000', origin: null, isForwarded: false };
      await expect(listCodes(services, query, here)).resolves.toMatchObject({ items: [{}] });
      const others = [
        ...['203.0.113.7', '10.0.0.2', '::2', 'unknown'].map((ip) => ({ ip })),
        // DNS rebinding, a page of another origin, and a tunnel.
        ...[{ host: 'evil.test:3000' }, { host: null }, { origin: 'http://evil.test:3000' }, { isForwarded: true }],
      ];
      for (const other of others)
        await expect(listCodes(services, query, { ...here, ...other })).rejects.toMatchObject({ code: 'not_found' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-host': 'abc.tunnel.example' };
      expect((await codes(query, { headers })).status).toBe(404);
      const send = (url: string) => codes(query, {}, url);
      for (const change of [{ publicUrl: 'https://sandbox.example.test' }, { inboxUrl: null }])
        expect(await elsewhere(change, send)).toEqual({ status: 404, code: 'not_found' });
      expect(await elsewhere({ environment: 'production' }, send)).toEqual({ status: 404, code: 'route_not_found' });
    });
  });
});
