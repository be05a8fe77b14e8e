import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SCOPES } from '#contract/scopes.ts';
import { readConfig } from '#server/core/config.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createApplication, createStaffUser, createTenant, getConfigurationTokens } from '#server/identity/index.ts';
import { checkStripe, connectAcuity, connectStripe } from '#server/integrations/index.ts';
import { createServices } from '#server/services.ts';
import { createCatalogue } from './seed/catalogue.ts';
import { CLINIC, COLLEAGUES, STAFF } from './seed/clinic.ts';
import { createPatients } from './seed/patients.ts';

type Card = {
  tenant_id: string;
  client_id: string;
  client_secret: string;
  staff: { email: string; password: string; role: string }[];
  configuration_tokens: unknown;
  /** The account in which plans and codes are created at Stripe. */
  stripe_account: string | null;
};

/** Four groups of five letters and digits: easy to type, about 100 bits. */
const newPassword = () => Array.from({ length: 4 }, () => randomBytes(4).toString('hex').slice(0, 5)).join('-');

/** Fills an empty sandbox with one small clinic, or reconnects the providers of a known one at its new address. */
async function seed(services: Services, cardFile: string): Promise<void> {
  const previousCard: Card | null = existsSync(cardFile) ? JSON.parse(readFileSync(cardFile, 'utf8')) : null;
  const tenants = await services.database.tenantsOf('tenants');
  if (previousCard && tenants.includes(previousCard.tenant_id)) {
    const ctx = systemContext(services, previousCard.tenant_id, 'seed');
    await connectProviders(ctx);
    const updatedCard: Card = {
      ...previousCard,
      configuration_tokens: await getConfigurationTokens(ctx),
      stripe_account: await stripeAccountOf(ctx),
    };
    writeFileSync(cardFile, JSON.stringify(updatedCard), { mode: 0o600 });
    return;
  }
  const tenant = await createTenant(services, { ...CLINIC, invitesEnabled: true });
  const ctx = systemContext(services, tenant.id, 'seed');
  const staff: Card['staff'] = [];
  for (const member of STAFF) {
    const password = newPassword();
    await createStaffUser(ctx, { ...member, password });
    staff.push({ email: member.email, password, role: member.role });
  }
  for (const colleague of COLLEAGUES) await createStaffUser(ctx, { ...colleague, password: newPassword() });
  const application = await createApplication(ctx, { name: 'Demo application', scopes: [...SCOPES] });
  await connectProviders(ctx);
  await createCatalogue(ctx);
  const card: Card = {
    tenant_id: tenant.id,
    client_id: application.application.client_id,
    client_secret: application.client_secret,
    staff,
    configuration_tokens: await getConfigurationTokens(ctx),
    stripe_account: await stripeAccountOf(ctx),
  };
  // Written before the patients, so that an interrupted start still leaves a usable clinic.
  writeFileSync(cardFile, JSON.stringify(card), { mode: 0o600 });
  await createPatients(ctx);
}

async function connectProviders(ctx: Context): Promise<void> {
  await connectStripe(ctx);
  const { SEED_ACUITY_USER_ID: user_id, SEED_ACUITY_API_KEY: api_key } = process.env;
  if (user_id && api_key) await connectAcuity(ctx, { user_id, api_key });
  await finishOnboarding(ctx);
}

async function stripeAccountOf(ctx: Context): Promise<string | null> {
  return (await ctx.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } })).accountId;
}

/** Completes Stripe's onboarding through the emulator's control API, because no user fills in its pages there. */
async function finishOnboarding(ctx: Context): Promise<void> {
  const { apiUrl } = ctx.config.stripe;
  if (!/^http:\/\/(127\.0\.0\.1|localhost)/.test(apiUrl)) return;
  const accountId = await stripeAccountOf(ctx);
  const response = await fetch(`${apiUrl}/_emulator/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'complete_onboarding', account: accountId }),
  });
  if (!response.ok) throw new Error(`The Stripe emulator responded with ${response.status}: ${await response.text()}`);
  await checkStripe(ctx);
}

const cardFile = process.env.SEED_CARD;
if (!cardFile) throw new Error('SEED_CARD must name the file that the sign-ins are written to.');
const services = createServices(readConfig(process.env));
try {
  await seed(services, cardFile);
} finally {
  await services.close();
}
