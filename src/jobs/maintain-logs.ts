import { storeAuditHeads } from '#server/audit/index.ts';
import type { Services } from '#server/core/context.ts';
import { findOldestAwaitedEvent } from '#server/webhooks/index.ts';

/** Partitions in addition to this month's. */
const MONTHS_AHEAD = 3;
/** Rows per statement, so that no statement holds many locks or runs for long. */
const BATCH = 5000;

/**
 * Runs daily: creates the partitions of the coming months, drops those beyond the retention settings, and exports the
 * heads of the audit log's chains. Every step is idempotent; a failed one does not stop the others and is retried. Ages
 * are measured by the database's clock, which also assigned the rows' times.
 */
export async function maintainLogs(services: Services): Promise<void> {
  const { database, config, log } = services;
  const { system } = database;
  const { eventsDays, auditYears } = config.logs;
  const steps = [
    async () => {
      const [{ strayed }] = await system.$queryRaw<[{ strayed: number }]>`
        select strayed from make_log_partitions(${MONTHS_AHEAD}::int)`;
      if (strayed > 0) log.warn({ rows: strayed }, 'the log had no table for their month, and has one now');
    },
    async () => {
      // Events that an endpoint still waits for stay, regardless of age.
      const awaited = await findOldestAwaitedEvent(services);
      await drop(
        'events',
        system.$queryRaw`
        select drop_log_partitions('events',
          least(now() - make_interval(days => ${eventsDays}::int), ${awaited}::timestamptz)) as dropped`,
      );
    },
    () =>
      drop(
        'audit_entries',
        system.$queryRaw`
        select drop_log_partitions('audit_entries', now() - make_interval(years => ${auditYears}::int)) as dropped`,
      ),
    async () => {
      for (let trimmed = BATCH; trimmed === BATCH; ) {
        const [row] = await system.$queryRaw<[{ trimmed: number }]>`select trim_audit_seals(${BATCH}::int) as trimmed`;
        trimmed = row.trimmed;
      }
    },
    () => storeAuditHeads(services),
  ];
  async function drop(name: string, dropping: Promise<[{ dropped: number }]>): Promise<void> {
    const [{ dropped }] = await dropping;
    if (dropped > 0) log.info({ log: name, months: dropped }, 'months of a log dropped');
  }
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
