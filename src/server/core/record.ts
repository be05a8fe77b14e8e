import type { AuditAction } from '#contract/audit-actions.ts';
import type { EventName } from '#contract/event-types.ts';
import { authorOf } from './actor.ts';
import type { Context } from './context.ts';
import { Prisma, query, type Tx } from './db.ts';
import { storeOutcome } from './duplicate-request.ts';
import { newId } from './ids.ts';
import { auditCaller } from './record-access.ts';

export type { EventName };

export type Change = {
  /** The audit action: `patients.update`. */
  action: AuditAction;
  object: { type: string; id: string };
  patientId?: string | null;
  /** Omitted for changes that no webhook or listener needs, such as a new client secret. */
  event?: EventName;
  /** The resource as the API shows it now, without secrets: the event's payload and the result of a retry. */
  payload?: unknown;
  /** The result of a retry, if it differs from the event's payload. */
  response?: unknown;
  /** It has already happened at a provider and is only recorded here. */
  isNews?: true;
  /** For the audit log: names of changed fields and reasons; never health data or secrets. */
  details?: Record<string, unknown>;
};

/**
 * Returns the statement that writes a change's audit entry. With `from`, it writes one entry per row of that, so that
 * it can share one statement with the change. The database assigns position and time.
 */
export function insertAudit(ctx: Context, change: Change, from: Prisma.Sql = Prisma.empty): Prisma.Sql {
  return insertEntry(ctx, change, newId(ctx.clock.now()), from);
}

/** Returns one statement that writes the entries of several changes. */
export function insertAudits(ctx: Context, changes: Change[]): Prisma.Sql {
  const now = ctx.clock.now();
  return insertEntries(
    ctx,
    changes.map((change) => entry(ctx, change, newId(now))),
  );
}

const insertEntry = (ctx: Context, change: Change, id: string, from: Prisma.Sql = Prisma.empty): Prisma.Sql =>
  insertEntries(ctx, [entry(ctx, change, id, from)]);

function insertEntries({ trail }: Context, entries: Prisma.Sql[]): Prisma.Sql {
  trail.hasEntry = true;
  return Prisma.sql`
    insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, actor_type, actor_id,
      on_behalf_of, application_id, request_id, address, user_agent, event, details)
    ${Prisma.join(entries, ' union all ')}`;
}

function entry(ctx: Context, change: Change, id: string, from: Prisma.Sql = Prisma.empty): Prisma.Sql {
  const by = auditCaller(ctx);
  return Prisma.sql`
    select ${id}::uuid, ${ctx.tenantId}::uuid, ${change.action}, ${change.object.type}, ${change.object.id},
      ${change.patientId ?? null}::uuid, ${by.actor_type}, ${by.actor_id}, ${by.on_behalf_of}, ${by.application_id},
      ${by.request_id}, ${by.address}, ${by.user_agent}, ${change.event ?? null},
      ${JSON.stringify(change.details ?? {})}::jsonb ${from}`;
}

/**
 * Writes the audit entry, the event and the idempotent outcome of a change in the change's transaction. Entry and event
 * share an id, which makes them one line of the patient timeline. Call it after the changed row is locked or written:
 * the event's position is assigned here, and one object's events are delivered in that order.
 */
export async function record(tx: Tx, ctx: Context, change: Change): Promise<void> {
  const now = ctx.clock.now();
  const id = newId(now);
  const { action, payload, response = payload, isNews = false } = change;
  await storeOutcome(tx, ctx, { action, payload: response, isNews });
  const audit = insertEntry(ctx, change, id);
  if (!change.event) return void (await query(tx, audit));
  const { type, id: author } = authorOf(ctx.actor);
  const [eventType, eventTopic] = change.event.split('.');
  await query(
    tx,
    Prisma.sql`
    with entry as (${audit})
    insert into events (id, tenant_id, event_type, event_topic, object_id, patient_id, author_type, author_id,
      payload, created_at)
    values (${id}::uuid, ${ctx.tenantId}::uuid, ${eventType}, ${eventTopic}, ${change.object.id},
      ${change.patientId ?? null}::uuid, ${type}, ${author}, ${JSON.stringify(change.payload ?? {})}::jsonb,
      ${now}::timestamptz)`,
  );
  ctx.database.wroteEvent(tx, ctx.tenantId);
}
