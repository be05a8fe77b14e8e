import { SCOPES, type Scope } from '#contract/scopes.ts';
import { createInboxEmulator, type RunningInbox } from '#emulators/inbox/index.ts';
import type { StripeEmulatorOptions } from '#emulators/stripe/index.ts';
import { startWorker } from '#jobs/worker.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { checkStripe } from '#server/integrations/check-integration.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import type { ServiceOverrides } from '#server/services.ts';
import { createCatalogue } from '../../../prisma/seed/catalogue.ts';
import { asAdmin, makeTenant } from './actors.ts';
import { startStripe, type TestStripe } from './billing.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { freePort, serveHandlers } from './http-server.ts';
import { type Credentials, type RestClient, requestToken, restClient } from './rest-client.ts';
import { startAcuity, type TestAcuity } from './scheduling.ts';
import { testServices, testSettings } from './services.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';
const TWILIO = { sid: 'AC00000000000000000000000000000000', token: 'emulated-token' };

type AdjustableClock = Clock & {
  pass(ms: number): void;
  /** Stops it: from here on only `pass` moves it. */
  hold(): void;
};
type ClinicOptions = {
  env?: Record<string, string>;
  /** Replaces the clock or the log. */
  overrides?: ServiceOverrides;
  /** Instead of a new one; `stop` drops it too. */
  database?: TestDatabase;
  /** Adds a second tenant, which has no provider connected. */
  tenants?: 2;
  /** Stripe's emulator, with a connected account. Without `http`, events are applied as soon as they arrive. */
  stripe?: true | Partial<StripeEmulatorOptions>;
  /** Acuity's emulator, connected; its account is the one of `scheduling.ts`. */
  acuity?: true;
  /** Stripe's catalogue and Acuity's account are those of the sandbox. */
  seeded?: true;
  /** An HTTP server, its URL in PUBLIC_URL, and a client that validates responses. */
  http?: true;
  /** An inbox for email. */
  inbox?: true;
  /** Sends texts too. */
  twilio?: true;
  worker?: true;
  /** A clock that a test can advance. */
  clock?: true;
};
type Base = {
  database: TestDatabase;
  services: Services;
  /** All settings, for another process of this clinic. */
  settings: Record<string, string>;
  tenant: { id: string };
  /** A system context of the tenant. */
  ctx: Context;
  /** Creates a patient of the tenant. */
  patient(): Promise<string>;
  application(ctx: Context, scopes?: readonly Scope[]): Promise<Credentials>;
  stop(): Promise<void>;
};
type Parts = {
  tenants: { otherCtx: Context };
  stripe: { stripe: TestStripe };
  acuity: { acuity: TestAcuity };
  inbox: { inbox: RunningInbox };
  clock: { clock: AdjustableClock };
  http: {
    url: string;
    rest: RestClient;
    /** Gets an application token from the token endpoint. */
    token(credentials: Credentials): Promise<string>;
    /** Gets a patient token by token exchange. */
    impersonate(credentials: Credentials, patientId: string): Promise<string>;
  };
};
type Part = keyof Parts;
type All<P extends Part> = (P extends Part ? (part: Parts[P]) => void : never) extends (part: infer Each) => void
  ? Each
  : never;
/** A clinic with these parts, for example `Clinic<'stripe' | 'http'>`. */
export type Clinic<P extends Part = never> = Base & All<P>;

/** The whole sandbox: two tenants, the first with both providers, served over HTTP. */
export const SANDBOX = { tenants: 2, stripe: true, acuity: true, seeded: true, http: true } as const;
export type Sandbox = Clinic<keyof typeof SANDBOX & Part>;

/** Starts services and a tenant on a database of their own, and only those parts that the options name. */
export async function withClinic<const Options extends ClinicOptions>(
  options: Options = {} as Options,
): Promise<Clinic<keyof Options & Part>> {
  const stops: (() => unknown)[] = [];
  try {
    return await startClinic(options, stops);
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Stops what was started last first. */
async function stopAll(stops: (() => unknown)[]): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

async function startClinic<const Options extends ClinicOptions>(
  options: Options,
  stops: (() => unknown)[],
): Promise<Clinic<keyof Options & Part>> {
  const { stripe, acuity, seeded, http, inbox, twilio, worker, overrides }: ClinicOptions = options;
  const port = http ? await freePort() : 0;
  const url = `http://127.0.0.1:${port}`;
  const database = options.database ?? (await createTestDatabase());
  stops.push(() => database.drop());
  const [atStripe, atAcuity, atInbox] = await Promise.all([
    stripe && startStripe(stripe === true ? {} : stripe, http ? `${url}/api/webhooks/stripe` : null),
    acuity && startAcuity({ seeded }),
    (inbox || twilio) &&
      createInboxEmulator({
        ...(twilio && { twilio: { ...TWILIO, ...(http && { webhookUrl: `${url}/api/webhooks/twilio` }) } }),
        log: () => {},
      }).start(),
  ]);
  for (const emulator of [atStripe, atAcuity, atInbox]) if (emulator) stops.push(() => emulator.stop());
  const clock = options.clock && adjustableClock();
  const settings = testSettings(database, {
    ...(http && { PUBLIC_URL: url }),
    ...atStripe?.settings,
    ...atAcuity?.settings,
    ...(atInbox && { SMTP_URL: atInbox.smtpUrl, INBOX_URL: atInbox.url }),
    ...(atInbox && twilio && twilioSettings(atInbox)),
    ...options.env,
  });
  const services = testServices(database, settings, { ...(clock && { clock }), ...overrides });
  stops.push(() => services.close());
  const server = http && (await serveHandlers(services, port));
  if (server) stops.push(() => server.stop());
  if (worker) stops.push(await startWorker(services));
  const tenant = await makeTenant(services, { invitesEnabled: seeded === true });
  const ctx = systemContext(services, tenant.id, 'test');
  const rest = http && restClient(`${url}/api/v1`);
  if (rest) stops.push(() => rest.close());
  const other =
    options.tenants && (await makeTenant(services, { name: 'Hillside Clinic', invitesEnabled: seeded === true }));
  const parts = {
    ...(atStripe && { stripe: await atStripe.connect(services, tenant) }),
    ...(atAcuity && { acuity: await atAcuity.connect(ctx) }),
    ...(atInbox && { inbox: atInbox }),
    ...(clock && { clock }),
    ...(other && { otherCtx: systemContext(services, other.id, 'test') }),
    ...(http && { url, rest, ...tokensFrom(url) }),
  };
  // The receiver of the account's first event is the HTTP server, whose worker would apply it.
  if (stripe && http) await checkStripe(ctx);
  if (stripe && seeded) await createCatalogue(ctx);
  const clinic: Base = {
    database,
    services,
    settings,
    tenant,
    ctx,
    async patient() {
      const { id } = await createPatient(asAdmin(services, tenant), {
        first_name: 'Ada',
        last_name: 'Example',
        email: `ada-${crypto.randomUUID()}@example.test`,
      });
      return id;
    },
    async application(of, scopes = SCOPES) {
      const created = await createApplication(of, { name: 'Test application', scopes: [...scopes] });
      return { clientId: created.application.client_id, clientSecret: created.client_secret };
    },
    stop: () => stopAll(stops),
  };
  return Object.assign(clinic, parts) as Clinic<keyof Options & Part>;
}

/** A clock that runs in real time until it is held, and can be advanced. */
function adjustableClock(): AdjustableClock {
  let ahead = 0;
  let heldAt: number | null = null;
  return {
    now: () => new Date((heldAt ?? Date.now()) + ahead),
    pass(ms) {
      ahead += ms;
    },
    hold() {
      heldAt ??= Date.now();
    },
  };
}

const twilioSettings = ({ url }: RunningInbox) => ({
  TWILIO_API_URL: url,
  TWILIO_ACCOUNT_SID: TWILIO.sid,
  TWILIO_AUTH_TOKEN: TWILIO.token,
  TWILIO_FROM: '+12025550100',
  TWILIO_REMINDER_FROM: '+12025550198',
});

const tokensFrom = (url: string) => ({
  token: (credentials: Credentials) => requestToken(url, credentials),
  impersonate: (credentials: Credentials, patientId: string) =>
    requestToken(url, credentials, {
      grant_type: TOKEN_EXCHANGE,
      subject_token: patientId,
      subject_token_type: PATIENT_ID,
    }),
});
