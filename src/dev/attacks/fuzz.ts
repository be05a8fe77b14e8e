import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ROUTES } from '#contract/routes.ts';
import { arbitraryEndpointRequest, type RequestValues } from '../testing/arbitrary-endpoint-request.ts';
import { arbitraryRequest, type Known } from '../testing/arbitrary-request.ts';
import { ENDPOINT_ROWS } from '../testing/endpoint-rows.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { Reply } from './source.ts';
import type { AttackTarget } from './target.ts';

const SLOW_MS = 2000;
const MAX_ERROR_BYTES = 16_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Prepares valid values to start from; everything that requests change belongs to the second of the attacks' clinics.
 */
async function prepare(target: AttackTarget): Promise<{ values: RequestValues; token: string; known: Known }> {
  const { other } = target;
  const application = await other.application(['admin']);
  const created = await target.api(application.token, 'POST', '/patients', { first_name: 'Ada' });
  const known: Known = {
    patientIds: [created.body.id],
    subscriptionIds: ['sub_nothing'],
    paymentIds: ['in_nothing'],
    appointmentIds: [UNKNOWN_ID],
    begunIds: [UNKNOWN_ID],
    practitionerIds: [UNKNOWN_ID],
    eventIds: [UNKNOWN_ID],
    taskIds: [UNKNOWN_ID],
    webhookIds: [UNKNOWN_ID],
    deliveryIds: [UNKNOWN_ID],
    priceIds: ['price_nothing'],
    cardIds: ['pm_nothing'],
    unknownIds: ['sub_nothing'],
    unmatchedIds: ['00000000-0000-7000-8000-00000000d1f7'],
    messageIds: [UNKNOWN_ID],
    newPatientIds: [created.body.id],
    accountId: 'acct_another',
    acuity: { userId: 'unknown', apiKey: 'none' },
    pages: ['https://app.example.com/welcome'],
    numbers: [1, 7],
    times: ['2030-01-01T10:00:00Z'],
  };
  const csrf = await target.newSource().send('GET', `${target.portal}/api/auth/csrf`);
  const stamp = () => Math.floor(Date.now() / 1000);
  const hmac = (text: string, key: string) => createHmac('sha256', key).update(text);
  return {
    known,
    token: application.token,
    values: {
      clinic: { ctx: { tenantId: other.tenantId } },
      known,
      application,
      otherTokens: [await target.impersonate(application, created.body.id), application.token],
      clientIds: { ...other.people.ids, other: [application.clientId, UNKNOWN_ID] },
      emails: [target.newEmail('unknown')],
      password: 'wrong',
      csrf: {
        token: csrf.body.csrfToken,
        cookie: csrf.setCookie.map((line) => line.split(';')[0]).join('; '),
      },
      signStripe(payload) {
        const at = stamp();
        return `t=${at},v1=${hmac(`${at}.${payload}`, target.secrets.stripeWebhookSecret).digest('hex')}`;
      },
      signAcuity: (payload) => hmac(payload, 'no key').digest('base64'),
    },
  };
}

async function assertAcceptable(
  what: string,
  { seed, isLong }: AttackTarget,
  send: () => Promise<Reply>,
): Promise<void> {
  const { status, bytes, text, ms } = await send();
  assertHolds(status < 500, `${what}: ${status} ${text.slice(0, 200)} (seed ${seed})`);
  assertHolds(status < 400 || bytes < MAX_ERROR_BYTES, `${what}: ${status} with ${bytes} bytes (seed ${seed})`);
  if (!isLong) return;
  // A request that is slow itself is slow again; a request that a busy machine delayed is not.
  let fastest = ms;
  for (let n = 0; n < 2 && fastest >= SLOW_MS; n++) fastest = (await send()).ms;
  assertHolds(fastest < SLOW_MS, `${what}: ${Math.round(fastest)} ms (seed ${seed})`);
}

/** The longest form of this is in `src/dev/testing/fuzz.db.test.ts` and `fuzz-endpoints.db.test.ts`. */
export const FUZZ: Group = {
  title: 'a client sends random requests',
  attacks: [
    {
      name: 'to the API',
      async run(target) {
        const { known, token } = await prepare(target);
        const document = (await target.newSource().send('GET', `${target.card.base_url}/openapi.json`)).body;
        for (const route of ROUTES)
          for (const request of fc.sample(arbitraryRequest(document, route, known, known.patientIds), {
            seed: target.seed,
            numRuns: target.isLong ? 60 : 4,
          })) {
            const { method, path, headers = {}, body, raw } = request;
            const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
            const input = {
              token,
              headers: { 'content-type': 'application/json', ...headers },
              ...(sent !== undefined && { body: sent }),
            };
            const send = () => target.newSource().send(method, target.card.base_url + path, input);
            await assertAcceptable(`${method} ${path.slice(0, 200)}`, target, send);
          }
      },
    },
    // Last, because it signs its own users out.
    {
      name: 'to sign-in, the portal, links, webhooks and next-auth',
      async run(target) {
        const { values } = await prepare(target);
        const person = await target.other.people.byPhone(target.newNumber());
        const { accessToken, refreshToken } = person;
        const sessions = { cookie: target.other.admin.cookie, accessToken, refreshToken };
        for (const row of ENDPOINT_ROWS)
          for (const request of fc.sample(arbitraryEndpointRequest(row, values, sessions), {
            seed: target.seed,
            numRuns: target.isLong ? 40 : 2,
          })) {
            const { method, path, headers, body } = request;
            const input = { headers, ...(body !== undefined && { body }) };
            const what = `${method} ${path.slice(0, 200)}`;
            await assertAcceptable(what, target, () => target.newSource().send(method, target.portal + path, input));
          }
      },
    },
  ],
};
