import { isIP } from 'node:net';
import { z } from 'zod';
import { databaseTlsFaults } from './database-tls.mjs';
import { type VideoConfig, VideoSettings, videoErrors, videoOf } from './video-settings.ts';

const EMULATOR_SECRETS = /^(sk_test_emulator|dev-|change-me|secret$|password$)/i;
type Checked = {
  [Name in
    | 'VIDEO_BASE_URL'
    | 'STRIPE_API_URL'
    | 'STRIPE_JS_URL'
    | 'ACUITY_API_URL'
    | 'TWILIO_API_URL'
    | 'INBOX_URL'
    | 'TWILIO_AUTH_TOKEN'
    | 'MAIL_WEBHOOK_SECRET'
    | 'VIDEO_TURN_SECRET']?: string | undefined;
} & Record<'PUBLIC_URL' | 'STRIPE_SECRET_KEY' | 'STRIPE_PUBLISHABLE_KEY' | 'SESSION_SECRET', string> & {
    ENCRYPTION_KEY: Buffer;
  };

/** Returns whether an address is on this machine. */
const isLocal = (address: string) => /^(localhost|127\.|\[?::1\]?$|0\.0\.0\.0)/.test(new URL(address).hostname);

/** Returns why a production start fails, one sentence per fault. */
function productionErrors(s: Checked): string[] {
  const errors: string[] = [];
  if (s.VIDEO_BASE_URL && !s.VIDEO_BASE_URL.startsWith('https://'))
    errors.push('VIDEO_BASE_URL must be an https address in production.');
  if (!s.PUBLIC_URL.startsWith('https://')) errors.push('PUBLIC_URL must be an https address in production.');
  for (const name of ['STRIPE_API_URL', 'STRIPE_JS_URL', 'ACUITY_API_URL', 'TWILIO_API_URL', 'INBOX_URL'] as const) {
    const address = s[name];
    if (address && (isLocal(address) || !address.startsWith('https://')))
      errors.push(`${name} points to an emulator, which production refuses.`);
  }
  if (s.STRIPE_SECRET_KEY.includes('_test_')) errors.push('STRIPE_SECRET_KEY is a test key, which production refuses.');
  if (s.STRIPE_PUBLISHABLE_KEY.includes('_test_'))
    errors.push('STRIPE_PUBLISHABLE_KEY is a test key, which production refuses.');
  for (const name of ['SESSION_SECRET', 'TWILIO_AUTH_TOKEN', 'MAIL_WEBHOOK_SECRET', 'VIDEO_TURN_SECRET'] as const)
    if (EMULATOR_SECRETS.test(s[name] ?? '')) errors.push(`${name} is a default secret; make your own.`);
  if (s.ENCRYPTION_KEY.every((byte) => byte === s.ENCRYPTION_KEY[0]))
    errors.push('ENCRYPTION_KEY is a default secret; make your own.');
  return errors;
}

/** Parses `10.0.0.0/8, fd00::/8`. */
const ranges = z.string().transform((value, ctx) =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const [network = '', length = '', ...rest] = one.split('/');
      const version = isIP(network);
      const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
      if (version !== 0 && rest.length === 0 && bits <= (version === 6 ? 128 : 32))
        return { network, bits, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
      ctx.addIssue({ code: 'custom', message: `${one} is not a range of addresses such as 10.0.0.0/8 or fd00::/8` });
      return z.NEVER;
    }),
);

const DEFAULT_STRIPE_API = 'https://api.stripe.com';
const DEFAULT_ACUITY_API = 'https://acuityscheduling.com/api/v1';
const DEFAULT_TWILIO_API = 'https://api.twilio.com';
const PRODUCTION_DRAIN_MS = 5_000;
/** Maximum age of the copies of Stripe subscriptions when webhooks are lost. */
const RECONCILE_SECONDS = { production: 15 * 60, sandbox: 60 };
const ACUITY_RECONCILE_SECONDS = { production: 5 * 60, sandbox: 30 };
/** Maximum delay until availability shows an Acuity change without a webhook: a block, other working hours. */
const RENEW_SECONDS = { production: 5 * 60, sandbox: 30 };
/** Stripe's API limits in live and test mode (Stripe docs, "Rate limits"). */
const STRIPE_PER_SECOND = { production: 100, sandbox: 25 };
/** The part of a process's connections that its worker uses; see `jobs/worker.ts`. */
export const WORKER_CONNECTIONS = 6;
/** The connection that listens for new events while a client waits for them; see `events/pg-listener.ts`. */
const LISTENER_CONNECTIONS = 1;
/** The startup checks open this many connections at once. */
const FEWEST_CONNECTIONS = 3;
const FEWEST_WITH_WORKER = WORKER_CONNECTIONS + LISTENER_CONNECTIONS + 2;

const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === '' ? undefined : v), schema.optional());
/** `Name <name@host>`, or the address alone. */
const mailbox = z.string().transform((value, ctx) => {
  const [, name = '', address = ''] = /^\s*(?:"?([^"<>]*?)"?\s*<)?([^\s<>@,;"]+@[^\s<>@,;"]+)>?\s*$/.exec(value) ?? [];
  if (!address || value.includes('<') !== value.includes('>')) {
    ctx.addIssue({
      code: 'custom',
      message: 'must be an address, or a name and an address: Clinic <care@example.org>',
    });
    return z.NEVER;
  }
  return { name, address };
});
const key32 = z
  .string()
  .transform((value) => Buffer.from(value, 'base64'))
  .refine((bytes) => bytes.length === 32, 'must be 32 bytes in base64 (make one with: openssl rand -base64 32)');

/** `whsec_` and base64 (Standard Webhooks), or any text. Invalid base64 would decode to an empty key. */
const signingSecret = z
  .string()
  .min(24, 'must be at least 24 characters')
  .refine(
    (value) => !value.startsWith('whsec_') || /^[A-Za-z0-9+/_-]{22,}={0,2}$/.test(value.slice(6)),
    'must have base64 of 16 bytes or more behind whsec_',
  );

/** All settings; `.env.example` documents the same names. */
const Settings = z.object({
  CARELANE_ENV: z.enum(['sandbox', 'production']),
  PUBLIC_URL: url,
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgresql://'),
  DATABASE_POOLER: z.enum(['none', 'transaction']).default('none'),
  DATABASE_DIRECT_URL: optional(z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgresql://')),
  DATABASE_TLS: optional(z.enum(['verify', 'off'])),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(FEWEST_CONNECTIONS).max(200).default(20),
  ENCRYPTION_KEY: key32,
  SESSION_SECRET: z.string().min(32, 'must be at least 32 characters'),
  STRIPE_SECRET_KEY: z.string().regex(/^(sk|rk)_(test|live)_/, 'must be a secret key (sk_test_… or sk_live_…)'),
  STRIPE_PUBLISHABLE_KEY: z.string().regex(/^pk_(test|live)_/, 'must be a publishable key (pk_…)'),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'must start with whsec_'),
  STRIPE_API_URL: optional(url),
  STRIPE_JS_URL: optional(url),
  STRIPE_RECONCILE_SECONDS: optional(z.coerce.number().int().min(3).max(86_400)),
  STRIPE_REQUESTS_PER_SECOND: optional(z.coerce.number().int().min(1).max(10_000)),
  ACUITY_API_URL: optional(url),
  ACUITY_RECONCILE_SECONDS: optional(z.coerce.number().int().min(3).max(86_400)),
  ACUITY_REQUESTS_PER_SECOND: z.coerce.number().int().min(1).max(1000).default(10),
  ACUITY_RENEW_SECONDS: optional(z.coerce.number().int().min(3).max(86_400)),
  TWILIO_API_URL: optional(url),
  TWILIO_ACCOUNT_SID: optional(z.string()),
  TWILIO_AUTH_TOKEN: optional(z.string()),
  TWILIO_FROM: optional(z.string()),
  TWILIO_REMINDER_FROM: optional(z.string()),
  MAIL_WEBHOOK_SECRET: optional(signingSecret),
  MAIL_DKIM_SELECTOR: optional(z.string().regex(/^[\w-]+(\.[\w-]+)*$/, 'must be a name as it stands in DNS')),
  DNS_SERVERS: optional(z.string().regex(/^[\da-f.:[\], ]+$/i, 'must be addresses, with commas between them')),
  SMTP_URL: optional(z.string().regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')),
  SMTP_TLS: optional(z.enum(['require', 'off'])),
  MAIL_FROM: mailbox.default({ name: 'Carelane', address: 'no-reply@localhost' }),
  INBOX_URL: optional(url),
  PACKAGES_FOLDER: optional(z.string()),
  VIDEO_BASE_URL: optional(url),
  ...VideoSettings,
  PROVIDER_TIMEOUT_MS: z.coerce.number().int().min(50).max(60_000).default(10_000),
  WEBHOOK_ALLOWED_RANGES: ranges.default([]),
  EVENTS_RETENTION_DAYS: z.coerce.number().int().min(30).max(3650).default(90),
  AUDIT_RETENTION_YEARS: z.coerce.number().int().min(1).max(100).default(6),
  AUDIT_HEAD_FILE: optional(z.string()),
  AUDIT_HEAD_MAIL: optional(z.email()),
  WORKER: z.enum(['inline', 'off']).default('inline'),
  DRAIN_MS: optional(z.coerce.number().int().min(0).max(60_000)),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1200),
  TRUST_PROXY: z.enum(['0', '1']).default('0'),
});

export type Config = {
  environment: 'sandbox' | 'production';
  publicUrl: string;
  /** `{PUBLIC_URL}/api/v1`: the audience of access tokens. */
  baseUrl: string;
  /** `{PUBLIC_URL}/identity`: the issuer of access tokens. */
  issuer: string;
  host: string;
  port: number;
  database: {
    url: string;
    /** The connections of the process that the worker and the listener do not use. */
    poolSize: number;
    /** A pooler in transaction mode gives each transaction a different connection. */
    pooler: 'none' | 'transaction';
    /** Bypasses the pooler, for code that needs a connection of its own: the worker and the listener. */
    directUrl: string;
    /** Whether `directUrl` bypasses the pooler; LISTEN does not work through one. */
    canListen: boolean;
  };
  encryptionKey: Buffer;
  sessionSecret: string;
  stripe: {
    secretKey: string;
    publishableKey: string;
    webhookSecret: string;
    apiUrl: string;
    jsUrl: string | null;
    /** The address that patients' apps load Stripe.js from; null for Stripe's own. */
    scriptUrl: string | null;
    /** Maximum age of a copy when webhooks are lost. */
    reconcileMs: number;
    /** Stripe's request limit; reconciliation uses a tenth of it. */
    requestsPerSecond: number;
  };
  acuity: {
    apiUrl: string;
    /** The origin of the Acuity emulator; null for Acuity itself. */
    emulatorUrl: string | null;
  };
  /** How this service stays in sync with the scheduling provider. */
  scheduling: {
    /** Maximum time until both sides hold the same appointments when webhooks are lost. */
    reconcileMs: number;
    /** Shared by all processes. */
    requestsPerSecond: number;
    /** Maximum age of the availability that clients receive. */
    renewMs: number;
  };
  /** `reminderFrom`: STOP to it leaves sign-in codes from `from` on. Defaults to `from`. */
  twilio: { apiUrl: string; accountSid: string; authToken: string; from: string; reminderFrom: string } | null;
  /** `requireTls`: send nothing to a server that does not offer STARTTLS. */
  mail: { smtpUrl: string; requireTls: boolean; from: { name: string; address: string } } | null;
  /** The secret with which a mail service signs its reports of bounces and complaints. */
  mailWebhookSecret: string | null;
  /** DNS servers for the mail protection check of the sender's domain; null for the machine's own. */
  dnsServers: string[] | null;
  /** The DKIM selector of the key that signs outgoing mail. */
  dkimSelector: string | null;
  inboxUrl: string | null;
  /** The folder of the packages that a sandbox serves; null in production. */
  packagesFolder: string | null;
  videoBaseUrl: string;
  /** The STUN and TURN servers of video visits. */
  video: VideoConfig;
  /** Timeout of one call to a provider. */
  providerTimeoutMs: number;
  /** Networks that webhooks may be sent to in addition to public addresses. */
  webhookRanges: { network: string; bits: number; family: 'ipv4' | 'ipv6' }[];
  logs: {
    eventsDays: number;
    auditYears: number;
    /** Where the heads of the audit log's chains are stored daily: a file, an email address. */
    headFile: string | null;
    headMail: string | null;
  };
  worker: 'inline' | 'off';
  /** How long requests are still accepted after the health endpoint has started to return 503. */
  drainMs: number;
  logLevel: string;
  requestsPerMinute: number;
  trustProxy: boolean;
};

/** An invalid setting prevents the start; the message has one sentence per fault. */
export class ConfigError extends Error {}

/** Reads and validates all settings of the environment. @throws {ConfigError} one sentence per fault */
export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return env[name] === undefined ? `${name} is not set.` : `${name} is wrong: ${issue.message}.`;
    });
    throw new ConfigError([...new Set(errors)].join('\n'));
  }
  const s = parsed.data;
  const twilio = [s.TWILIO_ACCOUNT_SID, s.TWILIO_AUTH_TOKEN, s.TWILIO_FROM];
  const errors = s.CARELANE_ENV === 'production' ? productionErrors(s) : [];
  errors.push(...databaseTlsFaults(s, { DATABASE_URL: s.DATABASE_URL, DATABASE_DIRECT_URL: s.DATABASE_DIRECT_URL }));
  if (s.CARELANE_ENV === 'sandbox' && s.STRIPE_SECRET_KEY.includes('_live_'))
    errors.push('STRIPE_SECRET_KEY is a live key, which a sandbox refuses.');
  if (twilio.some(Boolean) && !twilio.every(Boolean))
    errors.push('TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM must be set together.');
  if (s.TWILIO_REMINDER_FROM && !s.TWILIO_FROM)
    errors.push('TWILIO_REMINDER_FROM is beside TWILIO_FROM, which is not set.');
  if (s.DATABASE_POOLER === 'transaction' && !s.DATABASE_DIRECT_URL && s.WORKER === 'inline')
    errors.push('DATABASE_DIRECT_URL must be set beside DATABASE_POOLER=transaction, unless WORKER=off.');
  errors.push(...videoErrors(s));
  if (s.AUDIT_HEAD_MAIL && !s.SMTP_URL) errors.push('AUDIT_HEAD_MAIL needs an email server: set SMTP_URL.');
  if (s.WORKER === 'inline' && s.DATABASE_CONNECTIONS < FEWEST_WITH_WORKER)
    errors.push(
      `DATABASE_CONNECTIONS must be ${FEWEST_WITH_WORKER} or more, of which the worker has ${WORKER_CONNECTIONS} and who waits for events ${LISTENER_CONNECTIONS}, unless WORKER=off.`,
    );
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return {
    environment: s.CARELANE_ENV,
    publicUrl: s.PUBLIC_URL,
    baseUrl: `${s.PUBLIC_URL}/api/v1`,
    issuer: `${s.PUBLIC_URL}/identity`,
    host: s.HOST,
    port: s.PORT,
    database: {
      url: s.DATABASE_URL,
      poolSize: s.DATABASE_CONNECTIONS - LISTENER_CONNECTIONS - (s.WORKER === 'inline' ? WORKER_CONNECTIONS : 0),
      pooler: s.DATABASE_POOLER,
      directUrl: s.DATABASE_DIRECT_URL ?? s.DATABASE_URL,
      canListen: s.DATABASE_POOLER === 'none' || s.DATABASE_DIRECT_URL !== undefined,
    },
    encryptionKey: s.ENCRYPTION_KEY,
    sessionSecret: s.SESSION_SECRET,
    stripe: {
      secretKey: s.STRIPE_SECRET_KEY,
      publishableKey: s.STRIPE_PUBLISHABLE_KEY,
      webhookSecret: s.STRIPE_WEBHOOK_SECRET,
      apiUrl: s.STRIPE_API_URL ?? DEFAULT_STRIPE_API,
      jsUrl: s.STRIPE_JS_URL ?? null,
      scriptUrl: s.STRIPE_JS_URL && s.CARELANE_ENV === 'sandbox' ? `${s.PUBLIC_URL}/api/sandbox/stripe.js` : null,
      reconcileMs: 1000 * (s.STRIPE_RECONCILE_SECONDS ?? RECONCILE_SECONDS[s.CARELANE_ENV]),
      requestsPerSecond: s.STRIPE_REQUESTS_PER_SECOND ?? STRIPE_PER_SECOND[s.CARELANE_ENV],
    },
    acuity: {
      apiUrl: s.ACUITY_API_URL ?? DEFAULT_ACUITY_API,
      emulatorUrl:
        s.CARELANE_ENV === 'sandbox' && s.ACUITY_API_URL && isLocal(s.ACUITY_API_URL)
          ? new URL(s.ACUITY_API_URL).origin
          : null,
    },
    scheduling: {
      reconcileMs: 1000 * (s.ACUITY_RECONCILE_SECONDS ?? ACUITY_RECONCILE_SECONDS[s.CARELANE_ENV]),
      requestsPerSecond: s.ACUITY_REQUESTS_PER_SECOND,
      renewMs: 1000 * (s.ACUITY_RENEW_SECONDS ?? RENEW_SECONDS[s.CARELANE_ENV]),
    },
    twilio:
      s.TWILIO_ACCOUNT_SID && s.TWILIO_AUTH_TOKEN && s.TWILIO_FROM
        ? {
            apiUrl: s.TWILIO_API_URL ?? DEFAULT_TWILIO_API,
            accountSid: s.TWILIO_ACCOUNT_SID,
            authToken: s.TWILIO_AUTH_TOKEN,
            from: s.TWILIO_FROM,
            reminderFrom: s.TWILIO_REMINDER_FROM ?? s.TWILIO_FROM,
          }
        : null,
    mail: s.SMTP_URL
      ? {
          smtpUrl: s.SMTP_URL,
          requireTls: (s.SMTP_TLS ?? (s.CARELANE_ENV === 'production' ? 'require' : 'off')) === 'require',
          from: s.MAIL_FROM,
        }
      : null,
    mailWebhookSecret: s.MAIL_WEBHOOK_SECRET ?? null,
    dnsServers: s.DNS_SERVERS?.split(',').map((server) => server.trim()) ?? null,
    dkimSelector: s.MAIL_DKIM_SELECTOR ?? null,
    inboxUrl: s.INBOX_URL ?? null,
    packagesFolder: s.CARELANE_ENV === 'sandbox' ? (s.PACKAGES_FOLDER ?? null) : null,
    videoBaseUrl: s.VIDEO_BASE_URL ?? `${s.PUBLIC_URL}/visit`,
    video: videoOf(s),
    providerTimeoutMs: s.PROVIDER_TIMEOUT_MS,
    webhookRanges: s.WEBHOOK_ALLOWED_RANGES,
    logs: {
      eventsDays: s.EVENTS_RETENTION_DAYS,
      auditYears: s.AUDIT_RETENTION_YEARS,
      headFile: s.AUDIT_HEAD_FILE ?? null,
      headMail: s.AUDIT_HEAD_MAIL ?? null,
    },
    worker: s.WORKER,
    drainMs: s.DRAIN_MS ?? (s.CARELANE_ENV === 'production' ? PRODUCTION_DRAIN_MS : 0),
    logLevel: s.LOG_LEVEL,
    requestsPerMinute: s.RATE_LIMIT_PER_MINUTE,
    trustProxy: s.TRUST_PROXY === '1',
  };
}
