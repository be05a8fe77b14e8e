import { randomBytes } from 'node:crypto';
import { type Clinic, startClinic } from './clinic.ts';
import { type RestClient, restClient } from './rest-client.ts';
import { startHttpProcess } from './start-http-process.ts';

export type TwoProcesses = {
  clinic: Clinic;
  /** Clients of this process and of another one on the same database. */
  clients: RestClient[];
  /** The token of an application with all scopes. */
  token: string;
  /** Gets another token, for tests that outlast one. */
  newToken: () => Promise<string>;
  /** The last appointment type. */
  typeId: number;
  stop: () => Promise<void>;
};

/** Starts a clinic with Acuity served by two processes, for race tests, without a limit on Acuity calls. */
export async function startTwoProcesses(): Promise<TwoProcesses> {
  const env = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SESSION_SECRET: randomBytes(32).toString('hex'),
    ACUITY_REQUESTS_PER_SECOND: '1000',
    DATABASE_CONNECTIONS: '22',
  };
  const clinic = await startClinic(env);
  const { config } = clinic.services;
  const second = await startHttpProcess({
    CARELANE_ENV: 'sandbox',
    PUBLIC_URL: config.publicUrl,
    DATABASE_URL: config.database.url,
    STRIPE_SECRET_KEY: config.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: config.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: config.stripe.webhookSecret,
    ACUITY_API_URL: config.acuity.apiUrl,
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...env,
  });
  const other = await restClient(`${second.url}/api/v1`);
  const application = await clinic.application(clinic.tenant);
  const newToken = () => clinic.token(application);
  const token = await newToken();
  const types = await clinic.rest.call({ method: 'GET', path: '/appointment_types', token });
  return {
    clinic,
    clients: [clinic.rest, other],
    token,
    newToken,
    typeId: types.body.at(-1).id,
    async stop() {
      other.close();
      await second.stop();
      await clinic.stop();
    },
  };
}
