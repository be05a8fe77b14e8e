import { packagesFolder } from './packages.mjs';

/**
 * Creates the environment of the service and of the emulators: the user's settings take precedence, and a sandbox gets
 * generated defaults. Production gets no defaults, so that the service itself rejects missing settings.
 * @param {{ env: Record<string, string | undefined>, options: object, ports: Record<string, number>, secrets: Record<string, string> }} start
 */
export function createSettings({ env, options, ports, secrets }) {
  const production = env.CARELANE_ENV === 'production';
  const missing = (name) => options.emulators && !production && !env[name];
  const [smtp, sms] = [missing('SMTP_URL'), missing('TWILIO_ACCOUNT_SID')];
  const use = {
    stripe: missing('STRIPE_SECRET_KEY'),
    acuity: missing('ACUITY_API_URL'),
    inbox: smtp || sms,
    smtp,
    sms,
  };

  const local = (name) => `http://127.0.0.1:${ports[name]}`;
  const service = {
    CARELANE_ENV: 'sandbox',
    PUBLIC_URL: `http://localhost:${options.port}`,
    ...(!production && { ENCRYPTION_KEY: secrets.encryptionKey, SESSION_SECRET: secrets.sessionSecret }),
    ...(use.stripe && {
      STRIPE_SECRET_KEY: secrets.stripeSecretKey,
      STRIPE_PUBLISHABLE_KEY: secrets.stripePublishableKey,
      STRIPE_WEBHOOK_SECRET: secrets.stripeWebhookSecret,
      STRIPE_API_URL: local('stripe'),
      STRIPE_JS_URL: `${local('stripe')}/endive/stripe.js`,
    }),
    ...(use.acuity && { ACUITY_API_URL: `${local('acuity')}/api/v1` }),
    ...(use.smtp && { SMTP_URL: `smtp://127.0.0.1:${ports.smtp}` }),
    ...(use.sms && {
      TWILIO_API_URL: local('inbox'),
      TWILIO_ACCOUNT_SID: secrets.twilioAccountSid,
      TWILIO_AUTH_TOKEN: secrets.twilioAuthToken,
      TWILIO_FROM: '+12025550100',
      TWILIO_REMINDER_FROM: '+12025550198',
    }),
    ...(use.inbox && { INBOX_URL: local('inbox') }),
    ...(!production && { PACKAGES_FOLDER: packagesFolder }),
    ...defined(env),
    ...(env.PUBLIC_URL && { PUBLIC_URL: env.PUBLIC_URL.replace(/\/+$/, '') }),
    PORT: String(options.port),
    HOST: options.host,
  };
  const acuity = use.acuity
    ? { ACUITY_USER_ID: secrets.acuityUserId, ACUITY_API_KEY: secrets.acuityApiKey }
    : { ACUITY_USER_ID: env.ACUITY_USER_ID ?? '', ACUITY_API_KEY: env.ACUITY_API_KEY ?? '' };
  const loopback = options.host === '0.0.0.0' ? '127.0.0.1' : options.host;
  return {
    production,
    use,
    service,
    seed: { SEED_ACUITY_USER_ID: acuity.ACUITY_USER_ID, SEED_ACUITY_API_KEY: acuity.ACUITY_API_KEY },
    // An unused emulator must not receive a real key either.
    emulators: {
      ...service,
      ...(!use.stripe && {
        STRIPE_SECRET_KEY: secrets.stripeSecretKey,
        STRIPE_PUBLISHABLE_KEY: secrets.stripePublishableKey,
      }),
      ...(!use.stripe && { STRIPE_WEBHOOK_SECRET: secrets.stripeWebhookSecret }),
      ...(!use.sms && { TWILIO_ACCOUNT_SID: '', TWILIO_AUTH_TOKEN: '' }),
      // Twilio signs the configured webhook URL, which is the public one.
      ...(use.sms && { TWILIO_WEBHOOK_URL: `${service.PUBLIC_URL}/api/webhooks/twilio` }),
      ...(use.acuity ? acuity : { ACUITY_USER_ID: '', ACUITY_API_KEY: '' }),
      ...(use.stripe && { STRIPE_WEBHOOK_URL: `http://${loopback}:${options.port}/api/webhooks/stripe` }),
    },
    emulatorUrls: {
      ...(use.stripe && { stripe: local('stripe') }),
      ...(use.acuity && { acuity: local('acuity') }),
      ...(use.inbox && { inbox: local('inbox') }),
    },
  };
}

const defined = (env) => Object.fromEntries(Object.entries(env).filter(([, value]) => value));
