import { randomBytes } from 'node:crypto';
import type { Scope } from '#contract/scopes.ts';
import type { Card } from '../../../e2e/card.ts';
import { assertHolds, once } from './helpers.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { createPeople, type People } from './people.ts';
import { createSources, type Reply, type RequestInput, type Source } from './source.ts';
import { callPortal, type Member, signInToPortal } from './staff.ts';

export type { Card };
/** The served copy's secret for signing webhooks, which only the operator knows. */
export type Secrets = { stripeWebhookSecret: string };
/** Creates a clinic on the served copy with the project's own script. @returns its administrator's password */
export type MakeClinic = (name: string, email: string) => Promise<string>;

/** A clinic that was created for the attacks, with its administrator signed in. */
export type Clinic = {
  tenantId: string;
  admin: Member;
  tokens: { passwordless: string; credentials: string };
  people: People;
  portal(method: 'GET' | 'POST', name: string, input?: object, as?: Member): Promise<Reply>;
  /** Creates an application of the clinic, with an access token. */
  application(scopes: Scope[]): Promise<Application>;
  /** Invites another staff user, who joins. */
  colleague(role: 'admin' | 'practitioner'): Promise<Member>;
};
export type Application = { clientId: string; clientSecret: string; token: string };
export type AttackTarget = Awaited<ReturnType<typeof openTarget>>;

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';
const AREAS = [202, 305, 310, 415, 503, 617, 702, 808];
/** 555-1000 to 555-9999 of each area. */
const LINES = 9000;

/**
 * Returns each number once. The start advances with the clock by 4 a second, so that a later run on the same copy
 * starts after the earlier one's numbers; they repeat after five hours.
 */
function createNumbers(): () => string {
  let next = Math.floor(Date.now() / 250);
  return () => {
    const line = 1000 + (Math.floor(next / AREAS.length) % LINES);
    return `+1${AREAS[next++ % AREAS.length]}555${line}`;
  };
}

/** The served copy of the card, with two clinics of the attacks' own, so that no other clinic's data is touched. */
export async function openTarget(options: {
  card: Card;
  secrets: Secrets;
  makeClinic: MakeClinic;
  isLong: boolean;
  seed: number;
}) {
  const { card, makeClinic } = options;
  const portal = card.portal_url;
  const auth = `${portal}/identity`;
  const newSource = createSources();
  const home = newSource();
  const mailbox: Mailbox = openMailbox(card.emulators.inbox);
  const run = randomBytes(4).toString('hex');
  let count = 0;
  const newEmail = (name = 'ada') => `${name}-${run}-${++count}@attacks.example.test`;

  async function tokenOf(clientId: string, clientSecret: string, form: Record<string, string>): Promise<string> {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const response = await home.send('POST', card.auth_url, { form, headers: { authorization: `Basic ${basic}` } });
    assertHolds(response.status === 200, `no token for an application: ${response.text}`);
    return response.body.access_token;
  }

  async function signIn(source: Source, email: string, password: string): Promise<Member> {
    const result = await signInToPortal(portal, source, { email, password });
    assertHolds(
      !('error' in result),
      `${email} could not sign in to the portal: ${'error' in result ? result.error : ''}`,
    );
    return { email, password, ...result };
  }

  async function openClinic(name: string): Promise<Clinic> {
    const email = newEmail('admin');
    const admin = await signIn(home, email, await makeClinic(`${name} ${run}`, email));
    const callProcedure: Clinic['portal'] = (method, procedure, input, as = admin) =>
      callPortal(portal, home, as.cookie, method, procedure, input);
    const callOrThrow = async (method: 'GET' | 'POST', procedure: string, input?: object) => {
      const response = await callProcedure(method, procedure, input);
      assertHolds(response.status === 200, `${procedure}: ${response.text.slice(0, 300)}`);
      return response.body.result.data;
    };
    const { tenant } = await callOrThrow('GET', 'session.me');
    const tokens = await callOrThrow('GET', 'applications.configurationTokens');
    await callOrThrow('POST', 'invitations.turn', { enabled: true });
    const clientOf = (token: string): string =>
      JSON.parse(Buffer.from(token.split('_')[2]!, 'base64url').toString()).client_id;
    const ids = { passwordless: clientOf(tokens.passwordless), credentials: clientOf(tokens.credentials) };
    return {
      tenantId: tenant.id,
      admin,
      tokens,
      people: createPeople(auth, ids, mailbox, newSource),
      portal: callProcedure,
      async application(scopes) {
        const created = await callOrThrow('POST', 'applications.create', { name: 'Attacks', scopes });
        const [clientId, clientSecret] = [created.application.client_id, created.client_secret];
        const token = await tokenOf(clientId, clientSecret, { grant_type: 'client_credentials' });
        return { clientId, clientSecret, token };
      },
      async colleague(role) {
        const invited = { email: newEmail('colleague'), name: 'Juniper Example', role };
        await callOrThrow('POST', 'team.invite', invited);
        const [token, password] = [await mailbox.tokenFor(invited.email, 'join'), 'seven quiet rivers run'];
        const used = await home.send('POST', `${portal}/api/links/staffLinks.use`, { json: { token, password } });
        assertHolds(used.status === 200, `the staff user could not join: ${used.text}`);
        return signIn(newSource(), invited.email, password);
      },
    };
  }

  const clinic = await openClinic('Hillside Clinic');
  return {
    isLong: options.isLong,
    seed: options.seed,
    card,
    secrets: options.secrets,
    portal,
    auth,
    mailbox,
    newSource,
    newEmail,
    newNumber: createNumbers(),
    clinic,
    /** A patient with a password, for attacks that change nothing when they fail. */
    ada: once(() => clinic.people.byEmail(newEmail('untouched'))),
    other: await openClinic('Lakeside Clinic'),
    /** Gets a token of the card's clinic, which has both providers. */
    cardToken: () => tokenOf(card.client_id, card.client_secret, { grant_type: 'client_credentials' }),
    impersonate: ({ clientId, clientSecret }: Application, patientId: string) =>
      tokenOf(clientId, clientSecret, {
        grant_type: TOKEN_EXCHANGE,
        subject_token: patientId,
        subject_token_type: PATIENT_ID,
      }),
    api: (token: string, method: string, path: string, json?: object): Promise<Reply> =>
      home.send(method, card.base_url + path, { token, ...(json && { json }) } satisfies RequestInput),
    link: (source: Source, name: string, json: object, cookie = ''): Promise<Reply> =>
      source.send('POST', `${portal}/api/links/${name}`, { json, cookie }),
  };
}
