import { setTimeout as pause } from 'node:timers/promises';
import type { AuditAction } from '#contract/audit-actions.ts';
import type { Database } from './db.ts';
import { serviceBusy } from './errors.ts';
import type { Logger } from './log.ts';

/** An audit entry that belongs to no change. The database assigns its position and time. */
export type NewAuditEntry = {
  id: string;
  action: AuditAction;
  object_type: string;
  object_id: string;
  patient_id: string | null;
  patient_ids: string[] | null;
  actor_type: string;
  actor_id: string;
  on_behalf_of: string | null;
  application_id: string | null;
  request_id: string;
  address: string | null;
  user_agent: string | null;
  /** Null for success, the error code otherwise. */
  outcome: string | null;
  details: Record<string, unknown>;
  /** An automatic refetch by a page: an equal entry of the last five minutes is enough. */
  shares: boolean;
};

export type AuditWriter = {
  /** Resolves once the entry is durable. @throws `service_busy` when it cannot be written */
  write(tenantId: string, entry: NewAuditEntry): Promise<void>;
  /** Writes the waiting entries and rejects new ones. */
  close(): Promise<void>;
};

type Waiting = { entry: NewAuditEntry; done: () => void; failed: (error: Error) => void };
type Dependencies = { database: Pick<Database, 'forTenant'>; log: Pick<Logger, 'error'> };

const MAX_BATCH = { entries: 200, patients: 20_000 };
/** A single caller never waits for others, at any request rate. */
const CROWDED_MS = 20;
const GATHERING_MS = 1;
/** Per tenant. Beyond it the database is too far behind, and new entries are rejected at once. */
const MAX_WAITING = 5000;

/**
 * Group commit: a tenant's first entry is inserted at once, those that arrive during the insert share the next one.
 * Each tenant has its own queue because a statement, under row-level security, sees the rows of one tenant only.
 */
export function createAuditWriter({ database, log }: Dependencies): AuditWriter {
  const queues = new Map<string, Waiting[]>();
  const running = new Set<Promise<void>>();
  let crowdedUntil = 0;
  let closed = false;

  async function run(tenantId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      // An insert of ten entries costs little more than one of a single entry: if the last batch had several, wait for
      // more.
      if (!closed && performance.now() < crowdedUntil) await pause(GATHERING_MS);
      const batch = queue.splice(0, sizeOfBatch(queue));
      try {
        await insert(
          database,
          tenantId,
          batch.map(({ entry }) => entry),
        );
        for (const { done } of batch) done();
      } catch (error) {
        log.error({ tenantId, entries: batch.length, err: (error as Error).message }, 'audit entries not written');
        for (const { failed } of batch) failed(writeError());
      }
      if (batch.length > 1) crowdedUntil = performance.now() + CROWDED_MS;
    }
    queues.delete(tenantId);
  }

  return {
    write(tenantId, entry) {
      const queue = queues.get(tenantId);
      if (closed || (queue && queue.length >= MAX_WAITING)) return Promise.reject(writeError());
      return new Promise((done, failed) => {
        if (queue) return queue.push({ entry, done, failed });
        const newQueue = [{ entry, done, failed }];
        queues.set(tenantId, newQueue);
        const task = run(tenantId, newQueue).finally(() => running.delete(task));
        return running.add(task);
      });
    },
    async close() {
      closed = true;
      await Promise.all(running);
    },
  };
}

const writeError = () => serviceBusy('This access cannot be recorded in the audit log now, so nothing is shown.', 1);

function sizeOfBatch(queue: Waiting[]): number {
  let patients = 0;
  const end = queue.findIndex(({ entry }, index) => {
    patients += entry.patient_ids?.length ?? 0;
    return index === MAX_BATCH.entries || (index > 0 && patients > MAX_BATCH.patients);
  });
  return end < 0 ? queue.length : end;
}

const COLUMNS = `id, action, object_type, object_id, patient_id, patient_ids, actor_type, actor_id, on_behalf_of,
  application_id, request_id, address, user_agent, outcome, details`;
const FROM = `from jsonb_to_recordset($2::jsonb) as x(id uuid, action text, object_type text, object_id text,
  patient_id uuid, patient_ids uuid[], actor_type text, actor_id text, on_behalf_of text, application_id text,
  request_id text, address text, user_agent text, outcome text, details jsonb, shares boolean)`;
const INSERT = `insert into audit_entries (tenant_id, ${COLUMNS}) select $1::uuid, ${COLUMNS} ${FROM}`;
/** Checks the log itself, so that any number of processes share entries, and a shared entry is already durable. */
const INSERT_SHARING = `${INSERT} where not (x.shares and exists (
  select from audit_entries e
  where e.tenant_id = $1::uuid and e.actor_id = x.actor_id and e.created_at > now() - interval '5 minutes'
    and e.action = x.action and e.object_type = x.object_type and e.object_id = x.object_id and e.outcome is null
    and x.outcome is null and e.patient_id is not distinct from x.patient_id
    and coalesce(e.patient_ids, '{}') @> coalesce(x.patient_ids, '{}')
    and e.address is not distinct from x.address and e.user_agent is not distinct from x.user_agent))`;

async function insert(
  database: Pick<Database, 'forTenant'>,
  tenantId: string,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  const hasShared = entries.some(({ shares }) => shares);
  const [text, rows] = hasShared ? [INSERT_SHARING, withoutDuplicates(entries)] : [INSERT, entries];
  await database.forTenant(tenantId).$query({ text, values: [tenantId, JSON.stringify(rows)] });
}

/** An insert does not see its own rows, so duplicates within a batch are removed here. */
function withoutDuplicates(entries: readonly NewAuditEntry[]): NewAuditEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ shares, id: _, request_id: __, ...same }) => {
    const key = JSON.stringify(same);
    const isDuplicate = seen.has(key);
    seen.add(key);
    return !(shares && isDuplicate);
  });
}
