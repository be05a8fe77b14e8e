import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import type { Kept, Services } from './core/context.ts';
import { createCipher } from './core/crypto.ts';
import { openDatabase } from './core/db.ts';
import { createEntries } from './core/entries.ts';
import { createLog } from './core/log.ts';
import { createLimits } from './core/rate-limit.ts';
import { keepForEvents } from './events/kept.ts';
import { keepForDoors } from './http/kept.ts';
import { keepForIdentity } from './identity/kept.ts';
import { keepForMirror } from './mirror/kept.ts';
import { keepForPatients } from './patients/kept.ts';
import { keepForProviders } from './providers/kept.ts';
import { keepForScheduling } from './scheduling/kept.ts';
import { keepForVisitMessages } from './visit-messages/kept.ts';
import { keepForVisits } from './visits/kept.ts';
import { keepForWebhooks } from './webhooks/kept.ts';

/** What a test puts in place of the process's own. */
export type Given = Partial<Pick<Services, 'clock' | 'cipher' | 'log'>>;

/**
 * Builds all that lives as long as the process, here and nowhere else; what costs time to make is made at its first use.
 * Whoever makes services closes them.
 */
export function createServices(config: Config, given: Given = {}): Services {
  const log = given.log ?? createLog(config.logLevel);
  const clock = given.clock ?? systemClock;
  const cipher = given.cipher ?? createCipher(config.encryptionKey);
  const onError = (error: Error) => log.error({ err: error.message }, 'database connection lost');
  const database = openDatabase({
    ...config.database,
    onError,
    onEvents: (tenantId) => kept.events.committed(tenantId),
  });
  const events = keepForEvents({ database, config, clock, log });
  const kept: Kept = {
    limits: createLimits({ database, clock, log }),
    entries: createEntries({ database, log }),
    providers: keepForProviders(config, database),
    patients: keepForPatients(),
    mirror: keepForMirror(),
    scheduling: keepForScheduling(),
    identity: keepForIdentity(),
    doors: keepForDoors(config),
    events,
    visits: keepForVisits({ database, events, log }),
    webhooks: keepForWebhooks(),
    visitMessages: keepForVisitMessages(),
  };

  /** What goes on behind answers ends first, then what it was done with; last the database, which all of them use. */
  async function closeInOrder(): Promise<void> {
    // Calls to the scheduling provider that wait for their turn are refused.
    kept.providers.scheduling.close();
    await Promise.all([kept.identity.close(), kept.mirror.close(), kept.webhooks.close()]);
    await kept.visits.close();
    await kept.events.close();
    kept.providers.close();
    await kept.entries.close();
    await Promise.all(Object.values(kept.limits).map((limiter) => limiter.close()));
    await database.close();
  }
  let closing: Promise<void> | null = null;
  return {
    config,
    database,
    clock,
    cipher,
    log,
    kept,
    close() {
      closing ??= closeInOrder();
      return closing;
    },
  };
}
