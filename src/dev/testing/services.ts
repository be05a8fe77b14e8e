import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '#server/core/config.ts';
import type { Services } from '#server/core/context.ts';
import { createRateLimiter } from '#server/core/rate-limiter.ts';
import { createProviders } from '#server/providers/services.ts';
import { createServices, type ServiceOverrides } from '#server/services.ts';
import type { TestDatabase } from './database.ts';

export const STRIPE_SECRET_KEY = 'sk_test_carelane';
export const STRIPE_PUBLISHABLE_KEY = 'pk_test_carelane';
export const STRIPE_WEBHOOK_SECRET = 'whsec_carelane_tests';

/**
 * Settings of a sandbox on this database; processes of one test share the secrets, so that they accept each other's
 * tokens.
 */
export const testSettings = (
  database: Pick<TestDatabase, 'url'>,
  env: Record<string, string> = {},
): Record<string, string> => ({
  CARELANE_ENV: 'sandbox',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  DATABASE_URL: database.url,
  DATABASE_CONNECTIONS: '14',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
  STRIPE_SECRET_KEY,
  STRIPE_PUBLISHABLE_KEY,
  STRIPE_WEBHOOK_SECRET,
  // Nothing listens there: a test that needs a provider passes its emulator's URL.
  STRIPE_API_URL: 'http://127.0.0.1:9',
  ACUITY_API_URL: 'http://127.0.0.1:9',
  // The emulators have no rate limits; a test of pacing passes its own rates.
  STRIPE_REQUESTS_PER_SECOND: '1000',
  ACUITY_REQUESTS_PER_SECOND: '1000',
  LOG_LEVEL: 'silent',
  RATE_LIMIT_PER_MINUTE: '1000000',
  ...env,
});

export const testConfig = (database: Pick<TestDatabase, 'url'>, env: Record<string, string> = {}): Config =>
  readConfig(testSettings(database, env));

/** A fixed clock for rate limits, so that no window ends between two attempts of a test. */
const ONE_WINDOW = { now: () => BEGUN };
const BEGUN = new Date();

/** Creates services as a process does; `given` replaces the clock or the log. */
export function testServices(
  database: Pick<TestDatabase, 'url'>,
  env: Record<string, string> = {},
  overrides: ServiceOverrides = {},
): Services {
  const services = createServices(testConfig(database, env), overrides);
  if (!overrides.clock) services.rateLimiter = createRateLimiter({ ...services, clock: ONE_WINDOW });
  return services;
}

/**
 * The same services or context with a short provider timeout, for a call that an emulator delays. All other calls have
 * the long timeout, which a busy machine does not exceed.
 */
export function withProviderTimeout<TestServices extends Services>(
  services: TestServices,
  timeoutMs = 800,
): TestServices {
  const config = { ...services.config, providerTimeoutMs: timeoutMs };
  // Stripe's client gets its timeout at creation; the budget of Acuity calls stays shared.
  const { stripe } = createProviders(config, services.database);
  return { ...services, config, providers: { ...services.providers, stripe } };
}
