import type { EventName } from '#contract/event-types.ts';
import { authorOf } from './actor.ts';
import type { Context } from './context.ts';
import { Prisma, type Tx } from './db.ts';
import { newId } from './ids.ts';
import { keepOutcome } from './keyed-request.ts';
import { signature } from './note-access.ts';

export type { EventName };

export type Change = {
  /** The verb, for the audit log: `patients.update`. */
  action: string;
  object: { type: string; id: string };
  patientId?: string | null;
  /** Left out where the change is nobody else's business, such as a new client secret. */
  event?: EventName;
  /** The resource as the API shows it at this moment, without secrets: the event's, and what a retry is answered with. */
  payload?: unknown;
  /** What a retry is answered with, where that is not what the event tells. */
  answer?: unknown;
  /** It has happened elsewhere already, and is only noted here. */
  isNews?: true;
  /** For the audit log: names of changed fields, reasons; never values of health data or secrets. */
  details?: Record<string, unknown>;
};

/**
 * The statement that writes a change's audit entry. With `from`, once for each row of that: so it can stand beside the
 * change in one statement. Its position and time are the database's.
 */
export function insertAudit(ctx: Context, change: Change, from: Prisma.Sql = Prisma.empty): Prisma.Sql {
  return insertEntry(ctx, change, newId(ctx.clock.now()), from);
}

/** The entries of several changes, in one statement. */
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
  const by = signature(ctx);
  return Prisma.sql`
    select ${id}::uuid, ${ctx.tenantId}::uuid, ${change.action}, ${change.object.type}, ${change.object.id},
      ${change.patientId ?? null}::uuid, ${by.actor_type}, ${by.actor_id}, ${by.on_behalf_of}, ${by.application_id},
      ${by.request_id}, ${by.address}, ${by.user_agent}, ${change.event ?? null},
      ${JSON.stringify(change.details ?? {})}::jsonb ${from}`;
}

/**
 * Writes the audit entry and the event of a change, and what it answers, in the change's own transaction. The two have one
 * id, by which they are one line of a patient's story. What is changed has been locked or written before: the event's
 * position is drawn here, and events of one thing are told in that order.
 */
export async function record(tx: Tx, ctx: Context, change: Change): Promise<void> {
  const now = ctx.clock.now();
  const id = newId(now);
  await tx.$executeRaw(insertEntry(ctx, change, id));
  const { action, payload, answer = payload, isNews = false } = change;
  await keepOutcome(tx, ctx, { action, payload: answer, isNews });
  if (!change.event) return;
  const author = authorOf(ctx.actor);
  const [eventType, eventTopic] = change.event.split('.') as [string, string];
  await tx.event.create({
    data: {
      id,
      tenantId: ctx.tenantId,
      eventType,
      eventTopic,
      objectId: change.object.id,
      patientId: change.patientId ?? null,
      authorType: author.type,
      authorId: author.id,
      payload: (change.payload ?? {}) as Prisma.InputJsonObject,
      createdAt: now,
    },
  });
  ctx.database.wroteEvent(tx, ctx.tenantId);
}
