import type { Prisma } from '#generated/prisma/client.ts';
import { authorOf } from './actor.ts';
import type { Context } from './context.ts';
import type { Tx } from './db.ts';
import { newId } from './ids.ts';

/** The topics of each event type (api.md §9). */
export type EventName =
  | `patient.${'created' | 'updated' | 'invited' | 'signed_up' | 'confirmed' | 'archived'}`
  | `subscription.${'created' | 'updated' | 'activated' | 'trial_will_end' | 'payment_failed' | 'payment_action_required' | 'canceled' | 'expired'}`
  | `appointment.${'scheduled' | 'rescheduled' | 'canceled' | 'changed' | 'unmatched'}`
  | `integration.${'connected' | 'degraded' | 'recovered' | 'disconnected'}`;

export type Change = {
  /** The verb, for the audit log: `patients.update`. */
  action: string;
  object: { type: string; id: string };
  patientId?: string | null;
  /** Left out where the change is nobody else's business, such as a new client secret. */
  event?: EventName;
  /** The resource as the API shows it at this moment, without secrets. */
  payload?: unknown;
  /** For the audit log: names of changed fields, reasons; never values of health data or secrets. */
  details?: Record<string, unknown>;
};

/** Writes the audit entry and the event of a change, in the change's own transaction. */
export async function record(tx: Tx, ctx: Context, change: Change): Promise<void> {
  const now = ctx.clock.now();
  const author = authorOf(ctx.actor);
  const impersonator = ctx.actor.kind === 'patient' ? ctx.actor.impersonatedBy : null;
  await tx.auditEntry.create({
    data: {
      id: newId(now),
      tenantId: ctx.tenantId,
      action: change.action,
      objectType: change.object.type,
      objectId: change.object.id,
      patientId: change.patientId ?? null,
      // An impersonated call stands under both names: the application acted, on behalf of the patient.
      actorType: impersonator ? 'Application' : author.type,
      actorId: impersonator ?? author.id,
      onBehalfOf: impersonator ? author.id : null,
      requestId: ctx.requestId,
      details: (change.details ?? {}) as Prisma.InputJsonObject,
      createdAt: now,
    },
  });
  if (!change.event) return;
  const [eventType, eventTopic] = change.event.split('.') as [string, string];
  await tx.event.create({
    data: {
      id: newId(now),
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
}
