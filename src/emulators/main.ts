/**
 * Runs all provider emulators in one process:
 *
 *     tsx src/emulators/main.ts --data DIR --stripe-port N --acuity-port N --inbox-port N --smtp-port N
 *
 * An omitted port defaults to a free one; without `--data` the state is in memory only. Keys come from the environment:
 *
 * - STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY (test keys, required), STRIPE_WEBHOOK_URL with STRIPE_WEBHOOK_SECRET
 * - ACUITY_USER_ID with ACUITY_API_KEY and ACUITY_WEBHOOK_URL
 * - TWILIO_ACCOUNT_SID with TWILIO_AUTH_TOKEN and TWILIO_WEBHOOK_URL
 *
 * Writes `{"ready":true, …addresses}` to standard output. Exits on SIGTERM, SIGINT or when the launcher's pipe closes.
 */
import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type EmulatorsOptions, startEmulators } from './start-emulators.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    host: { type: 'string' },
    'stripe-port': { type: 'string' },
    'acuity-port': { type: 'string' },
    'inbox-port': { type: 'string' },
    'smtp-port': { type: 'string' },
  },
});

function port(name: 'stripe-port' | 'acuity-port' | 'inbox-port' | 'smtp-port'): number {
  const port = Number(values[name] ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`--${name} must be a port number`);
  return port;
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new TypeError(`${name} must be set`);
  return value;
}

function options(): EmulatorsOptions {
  const {
    ACUITY_API_KEY,
    ACUITY_USER_ID,
    ACUITY_WEBHOOK_URL,
    STRIPE_WEBHOOK_URL,
    TWILIO_ACCOUNT_SID,
    TWILIO_WEBHOOK_URL,
  } = process.env;
  return {
    ...(values.data && { dataDir: values.data }),
    ...(values.host && { host: values.host }),
    stripe: {
      port: port('stripe-port'),
      secretKeys: [needed('STRIPE_SECRET_KEY')],
      publishableKeys: [needed('STRIPE_PUBLISHABLE_KEY')],
      webhookEndpoints: STRIPE_WEBHOOK_URL
        ? [{ url: STRIPE_WEBHOOK_URL, secret: needed('STRIPE_WEBHOOK_SECRET') }]
        : [],
    },
    acuity: {
      port: port('acuity-port'),
      ...(ACUITY_USER_ID && {
        account: {
          userId: ACUITY_USER_ID,
          apiKey: ACUITY_API_KEY ?? needed('ACUITY_API_KEY'),
          ...(ACUITY_WEBHOOK_URL && { webhooks: [{ url: ACUITY_WEBHOOK_URL }] }),
        },
      }),
    },
    inbox: {
      port: port('inbox-port'),
      smtpPort: port('smtp-port'),
      ...(TWILIO_ACCOUNT_SID && {
        twilio: {
          sid: TWILIO_ACCOUNT_SID,
          token: needed('TWILIO_AUTH_TOKEN'),
          ...(TWILIO_WEBHOOK_URL && { webhookUrl: TWILIO_WEBHOOK_URL }),
        },
      }),
    },
  };
}

const emulators = await startEmulators(options());
process.stdout.write(`${JSON.stringify({ ready: true, ...emulators.urls })}\n`);

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await emulators.stop();
  process.exit(0);
}
process.on('SIGTERM', end);
process.on('SIGINT', end);
// The end of standard input means that the launcher exited only if it is a pipe or socket, not a terminal or /dev/null.
const stdin = fstatSync(0);
if (stdin.isFIFO() || stdin.isSocket()) process.stdin.on('end', end).on('error', end).resume();
