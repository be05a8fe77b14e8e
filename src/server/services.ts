import { LRUCache } from 'lru-cache';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { CatalogueOfTenant } from '#server/scheduling/index.ts';
import { type AuditWriter, createAuditWriter } from './core/audit-writer.ts';
import { type Clock, MINUTE, systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { type Cipher, createCipher } from './core/crypto.ts';
import { type Database, openDatabase } from './core/db.ts';
import { createLog, type Logger } from './core/log.ts';
import { createRateLimiter, type RateLimiter } from './core/rate-limiter.ts';
import { createEventServices } from './events/services.ts';
import { createHttpState } from './http/state.ts';
import { createIdentityServices } from './identity/services.ts';
import { createMirrorServices } from './mirror/services.ts';
import { createProviders, type Providers } from './providers/services.ts';
import { createCallServices } from './visits/services.ts';
import { createWebhookServices } from './webhooks/services.ts';

/** Objects that live as long as the process and are shared by all requests. Two sets of services share nothing. */
export interface Services {
  config: Config;
  clock: Clock;
  cipher: Cipher;
  log: Logger;
  database: Database;
  rateLimiter: RateLimiter;
  /** Writes audit entries that do not belong to a change. */
  auditWriter: AuditWriter;
  providers: Providers;
  events: ReturnType<typeof createEventServices>;
  webhooks: ReturnType<typeof createWebhookServices>;
  identity: ReturnType<typeof createIdentityServices>;
  /** Who follows a video call in this process. */
  calls: ReturnType<typeof createCallServices>;
  /** Requests to the scheduling provider for availability that are in progress. */
  mirror: ReturnType<typeof createMirrorServices>;
  /** Appointment types and calendars, by tenant. */
  catalogues: Map<string, CatalogueOfTenant>;
  /** Each tenant's time zone: it rarely changes, and each read of a patient needs it. */
  timeZones: LRUCache<string, string>;
  /** Message channels that do not answer, and until when they are not used, in `performance.now()`. */
  channelsAwayUntil: Map<MessageChannel, number>;
  http: ReturnType<typeof createHttpState>;
  /** Ends background work, then closes connections. May be called again. */
  close(): Promise<void>;
}

const MAX_TIME_ZONES = 1000;

/** Replacements in tests. */
export type ServiceOverrides = Partial<Pick<Services, 'clock' | 'cipher' | 'log'>>;

/**
 * Builds everything that lives as long as the process; what is expensive is built at its first use.
 * The caller closes the services.
 */
export function createServices(config: Config, overrides: ServiceOverrides = {}): Services {
  const log = overrides.log ?? createLog(config.logLevel);
  const clock = overrides.clock ?? systemClock;
  const onError = (error: Error) => log.error({ err: error.message }, 'database connection lost');
  const database = openDatabase({
    ...config.database,
    onError,
    onEvents: (tenantId) => services.events.committed(tenantId),
  });
  const events = createEventServices({ database, config, clock, log });
  let ending: Promise<void> | null = null;
  const services: Services = {
    config,
    clock,
    cipher: overrides.cipher ?? createCipher(config.encryptionKey),
    log,
    database,
    rateLimiter: createRateLimiter({ database, clock, log }),
    auditWriter: createAuditWriter({ database, log }),
    providers: createProviders(config, database),
    events,
    webhooks: createWebhookServices(),
    identity: createIdentityServices(),
    calls: createCallServices({ database, events, log }),
    mirror: createMirrorServices(),
    catalogues: new Map(),
    timeZones: new LRUCache({ max: MAX_TIME_ZONES, ttl: MINUTE }),
    channelsAwayUntil: new Map(),
    http: createHttpState(config),
    close() {
      ending ??= closeInOrder(services);
      return ending;
    },
  };
  return services;
}

/** Background work ends first, then what it uses; the database last. */
async function closeInOrder(services: Services): Promise<void> {
  // Rejects calls to the scheduling provider that wait for their turn.
  services.providers.scheduling.close();
  await Promise.all([services.identity.close(), services.mirror.close(), services.webhooks.close()]);
  await services.calls.close();
  await services.events.close();
  services.providers.close();
  await services.auditWriter.close();
  await services.rateLimiter.close();
  await services.database.close();
}
