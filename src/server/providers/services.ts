import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Transporter } from 'nodemailer';
import Stripe from 'stripe';
import type { Config } from '../core/config.ts';
import type { Database } from '../core/db.ts';
import { createAcuity } from './acuity.ts';
import { createMailTransport } from './mail.ts';
import { type Budget, createBudget, createCallTurns, createPace, type Pace } from './request-budget.ts';
import { createStripeClient } from './stripe.ts';
import { createWebhookClient, type WebhookClient } from './webhook-http.ts';

/** Acuity accepts 20 connections from one address; half is left for a new process that is not counted yet. */
const CONNECTIONS = 20;
const CONNECTIONS_OF_ONE = 10;
const MAX_WAITING = 5000;
const MAX_WAIT_MS = 15_000;
/** The part of Stripe's limit for background calls. The rest is for calls that a client waits for. */
const SHARE_OF_BACKGROUND = 0.1;
const SHARE_OF_EVENTS = 0.8;

/** The providers' clients, created at their first use. Twilio is called by `fetch` and has no client object. */
export type Providers = {
  /** Stripe's own library. */
  stripe(): Stripe;
  /** The service's interface to Stripe, in a caller's context. */
  stripeClient: typeof createStripeClient;
  /** Background calls to Stripe take turns, so that they never use more than a tenth of Stripe's limit. */
  stripePace: Pace;
  /** The same for calls that Stripe's events cause, with four fifths: one event may need several calls. */
  stripeEventPace: Pace;
  /** The client for one account at Acuity, in a caller's context. */
  acuity: typeof createAcuity;
  /** Null without a mail server. */
  mail(): Transporter | null;
  /** Acuity limits calls by IP address, so all accounts and all processes share one budget. */
  scheduling: Budget;
  /** Sends to addresses that customers chose. */
  webhooks(): WebhookClient;
  close(): void;
};

export function createProviders(config: Config, database: Pick<Database, 'system'>): Providers {
  const { protocol } = new URL(config.stripe.apiUrl);
  const agent = protocol === 'http:' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  let stripe: Stripe | null = null;
  let mail: Transporter | null = null;
  let webhooks: WebhookClient | null = null;
  const scheduling = createBudget(
    {
      perSecond: config.scheduling.requestsPerSecond,
      connections: CONNECTIONS,
      concurrent: CONNECTIONS_OF_ONE,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
    },
    createCallTurns(database),
  );
  return {
    stripe() {
      stripe ??= openStripe(config, agent);
      return stripe;
    },
    stripeClient: createStripeClient,
    stripePace: createPace(SHARE_OF_BACKGROUND * config.stripe.requestsPerSecond),
    stripeEventPace: createPace(SHARE_OF_EVENTS * config.stripe.requestsPerSecond),
    acuity: createAcuity,
    mail() {
      mail ??= config.mail && createMailTransport(config, config.mail);
      return mail;
    },
    scheduling,
    webhooks() {
      webhooks ??= createWebhookClient(config);
      return webhooks;
    },
    close() {
      void webhooks?.close();
      scheduling.close();
      mail?.close();
      agent.destroy();
    },
  };
}

/**
 * Creates the official client for the configured address. One retry with the same idempotency key, as Stripe advises.
 */
function openStripe(config: Config, httpAgent: HttpAgent): Stripe {
  const { protocol, hostname, port } = new URL(config.stripe.apiUrl);
  return new Stripe(config.stripe.secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    httpAgent,
    timeout: config.providerTimeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    appInfo: { name: 'Carelane' },
  });
}
