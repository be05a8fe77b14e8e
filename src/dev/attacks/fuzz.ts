import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ROUTES } from '#contract/routes.ts';
import { arbitraryEndpointRequest, type RequestWorld } from '../testing/arbitrary-endpoint-request.ts';
import { arbitraryRequest, type Known } from '../testing/arbitrary-request.ts';
import { ENDPOINT_ROWS } from '../testing/endpoint-rows.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { Reply } from './source.ts';
import type { World } from './world.ts';

const SLOW_MS = 2000;
const MAX_ERROR_BYTES = 16_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Prepares valid values to start from; everything that requests change belongs to the second of the attacks' clinics.
 */
async function prepare(world: World): Promise<{ asked: RequestWorld; token: string; known: Known }> {
  const { other } = world;
  const application = await other.application(['admin']);
  const made = await world.api(application.token, 'POST', '/patients', { first_name: 'Ada' });
  const known: Known = {
    patientIds: [made.body.id],
    subscriptionIds: ['sub_nothing'],
    paymentIds: ['in_nothing'],
    appointmentIds: [UNKNOWN_ID],
    begunIds: [UNKNOWN_ID],
    practitionerIds: [UNKNOWN_ID],
    eventIds: [UNKNOWN_ID],
    webhookIds: [UNKNOWN_ID],
    deliveryIds: [UNKNOWN_ID],
    priceIds: ['price_nothing'],
    cardIds: ['pm_nothing'],
    unknownIds: ['sub_nothing'],
    unmatchedIds: ['00000000-0000-7000-8000-00000000d1f7'],
    messageIds: [UNKNOWN_ID],
    newPatientIds: [made.body.id],
    accountId: 'acct_another',
    acuity: { userId: 'unknown', apiKey: 'none' },
    pages: ['https://app.example.com/welcome'],
    numbers: [1, 7],
    times: ['2030-01-01T10:00:00Z'],
  };
  const csrf = await world.newSource().send('GET', `${world.portal}/api/auth/csrf`);
  const stamp = () => Math.floor(Date.now() / 1000);
  const hmac = (text: string, key: string) => createHmac('sha256', key).update(text);
  return {
    known,
    token: application.token,
    asked: {
      clinic: { ctx: { tenantId: other.tenantId } },
      known,
      application,
      otherTokens: [await world.impersonate(application, made.body.id), application.token],
      clientIds: { ...other.people.ids, other: [application.clientId, UNKNOWN_ID] },
      emails: [world.newEmail('unknown')],
      password: 'wrong',
      csrf: {
        token: csrf.body.csrfToken,
        cookie: csrf.setCookie.map((line) => line.split(';')[0]).join('; '),
      },
      signStripe(payload) {
        const at = stamp();
        return `t=${at},v1=${hmac(`${at}.${payload}`, world.secrets.stripeWebhookSecret).digest('hex')}`;
      },
      signAcuity: (payload) => hmac(payload, 'no key').digest('base64'),
    },
  };
}

async function judge(what: string, { seed, isLong }: World, ask: () => Promise<Reply>): Promise<void> {
  const { status, bytes, text, ms } = await ask();
  assertHolds(status < 500, `${what}: ${status} ${text.slice(0, 200)} (seed ${seed})`);
  assertHolds(status < 400 || bytes < MAX_ERROR_BYTES, `${what}: ${status} with ${bytes} bytes (seed ${seed})`);
  if (!isLong) return;
  // A request that is slow itself is slow again; a request that a busy machine delayed is not.
  let fastest = ms;
  for (let n = 0; n < 2 && fastest >= SLOW_MS; n++) fastest = (await ask()).ms;
  assertHolds(fastest < SLOW_MS, `${what}: ${Math.round(fastest)} ms (seed ${seed})`);
}

/** The longest form of this is in `src/dev/testing/fuzz.db.test.ts` and `fuzz-endpoints.db.test.ts`. */
export const FUZZ: Group = {
  title: 'a client sends random requests',
  attacks: [
    {
      name: 'to the API',
      async run(world) {
        const { known, token } = await prepare(world);
        const document = (await world.newSource().send('GET', `${world.card.base_url}/openapi.json`)).body;
        for (const route of ROUTES)
          for (const request of fc.sample(arbitraryRequest(document, route, known, known.patientIds), {
            seed: world.seed,
            numRuns: world.isLong ? 60 : 4,
          })) {
            const { method, path, headers = {}, body, raw } = request;
            const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
            const given = {
              token,
              headers: { 'content-type': 'application/json', ...headers },
              ...(sent !== undefined && { body: sent }),
            };
            const ask = () => world.newSource().send(method, world.card.base_url + path, given);
            await judge(`${method} ${path.slice(0, 200)}`, world, ask);
          }
      },
    },
    // Last, because it signs its own users out.
    {
      name: 'to sign-in, the portal, links, webhooks and next-auth',
      async run(world) {
        const { asked } = await prepare(world);
        const person = await world.other.people.byPhone(world.newNumber());
        const { accessToken, refreshToken } = person;
        const sessions = { cookie: world.other.admin.cookie, accessToken, refreshToken };
        for (const row of ENDPOINT_ROWS)
          for (const request of fc.sample(arbitraryEndpointRequest(row, asked, sessions), {
            seed: world.seed,
            numRuns: world.isLong ? 40 : 2,
          })) {
            const { method, path, headers, body } = request;
            const given = { headers, ...(body !== undefined && { body }) };
            const what = `${method} ${path.slice(0, 200)}`;
            await judge(what, world, () => world.newSource().send(method, world.portal + path, given));
          }
      },
    },
  ],
};
