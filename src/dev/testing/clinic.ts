import { SCOPES, type Scope } from '#contract/scopes.ts';
import { type Emulators, startEmulators } from '#emulators/start-emulators.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createApplication } from '#server/identity/applications/create-application.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { checkStripe } from '#server/integrations/check-integration.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import type { ServiceOverrides } from '#server/services.ts';
import { createCatalogue } from '../../../prisma/seed/catalogue.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { freePort, serveHandlers } from './http-server.ts';
import { type RestClient, restClient } from './rest-client.ts';
import { STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, testServices } from './services.ts';

export const ACUITY = { userId: '900100', apiKey: 'emulated-key' };
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';

export type Credentials = { clientId: string; clientSecret: string };
export type Clinic = {
  url: string;
  database: TestDatabase;
  services: Services;
  emulators: Emulators;
  rest: RestClient;
  /** A tenant with both providers connected. */
  tenant: Context;
  /** A tenant with no provider connected. */
  otherTenant: Context;
  application(ctx: Context, scopes?: readonly Scope[]): Promise<Credentials>;
  /** Gets an application token from the token endpoint. */
  token(credentials: Credentials): Promise<string>;
  /** Gets a patient token by token exchange. */
  impersonate(credentials: Credentials, patientId: string): Promise<string>;
  stop(): Promise<void>;
};

/** Starts a whole sandbox in this process: database, emulators, an HTTP server and two tenants. */
export async function startClinic(env: Record<string, string> = {}, given: ServiceOverrides = {}): Promise<Clinic> {
  const database = await createTestDatabase();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const emulators = await startEmulators({
    stripe: {
      secretKeys: [STRIPE_SECRET_KEY],
      publishableKeys: [STRIPE_PUBLISHABLE_KEY],
      webhookEndpoints: [{ url: `${url}/api/webhooks/stripe`, secret: STRIPE_WEBHOOK_SECRET }],
    },
    acuity: { account: ACUITY, rateLimit: false },
  });
  const settings = { PUBLIC_URL: url, STRIPE_API_URL: emulators.urls.stripe, ACUITY_API_URL: emulators.urls.acuity };
  const services = testServices(database, { ...settings, ...env }, given);
  const server = await serveHandlers(services, port);
  const [tenant, otherTenant] = await Promise.all(
    ['Riverbend Clinic', 'Hillside Clinic'].map(async (name) => {
      const { id } = await createTenant(services, { name, timeZone: 'America/New_York', invitesEnabled: true });
      return systemContext(services, id, 'test');
    }),
  );
  await connectProviders(tenant!, emulators);
  const rest = await restClient(`${url}/api/v1`);

  async function askForToken(credentials: Credentials, form: Record<string, string>): Promise<string> {
    const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64');
    const response = await fetch(`${url}/identity/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { access_token: string }).access_token;
  }

  return {
    url,
    database,
    services,
    emulators,
    rest,
    tenant: tenant!,
    otherTenant: otherTenant!,
    async application(ctx, scopes = SCOPES) {
      const created = await createApplication(ctx, { name: 'Test application', scopes: [...scopes] });
      return { clientId: created.application.client_id, clientSecret: created.client_secret };
    },
    token: (credentials) => askForToken(credentials, { grant_type: 'client_credentials' }),
    impersonate: (credentials, patientId) =>
      askForToken(credentials, {
        grant_type: TOKEN_EXCHANGE,
        subject_token: patientId,
        subject_token_type: PATIENT_ID,
      }),
    async stop() {
      rest.close();
      await server.stop();
      await emulators.stop();
      await services.close();
      await database.drop();
    },
  };
}

async function connectProviders(ctx: Context, emulators: Emulators): Promise<void> {
  await connectStripe(ctx);
  const { accountId } = await ctx.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } });
  const done = await fetch(`${emulators.urls.stripe}/_emulator/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'complete_onboarding', account: accountId }),
  });
  if (!done.ok) throw new Error(`the Stripe emulator answered ${done.status}`);
  await checkStripe(ctx);
  await createCatalogue(ctx);
  await connectAcuity(ctx, { user_id: ACUITY.userId, api_key: ACUITY.apiKey });
}
