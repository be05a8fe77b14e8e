import type { UnsentReason } from '#contract/message-templates.ts';
import type { VisitMessageView } from '#contract/visit-messages.ts';
import type { Appointment, VisitMessage } from '#generated/prisma/client.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';

/** Presents a message without its recipient and content. */
export const presentMessage = (row: VisitMessage): VisitMessageView => ({
  id: row.id,
  appointment_id: row.appointmentId,
  patient_id: row.patientId,
  kind: row.kind as VisitMessageView['kind'],
  channel: row.channel as VisitMessageView['channel'],
  minutes_before: row.kind === 'reminder' ? row.minutesBefore : null,
  visit_at: row.startAt.toISOString(),
  due_at: row.dueAt.toISOString(),
  state: row.state as VisitMessageView['state'],
  why: (row.why ?? row.deliveryWhy) as UnsentReason | null,
  delivery: row.delivery as VisitMessageView['delivery'],
  sent_at: row.sentAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/** Additional data that binds an encrypted address to its row. */
export const sentToBoundTo = ({ tenantId, id }: Pick<VisitMessage, 'tenantId' | 'id'>): string =>
  `visit_messages/${tenantId}/${id}/sent_to`;

/** Serializes changes to the messages of an appointment until the transaction ends. */
export const lockMessages = (tx: Tx, tenantId: string, appointmentId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`messages:${tenantId}:${appointmentId}`}, 0))`;

/** Returns the patient's time zone or, when unknown, the calendar's. */
export const zoneOf = (appointment: Pick<Appointment, 'timeZone'> & { patient: { timeZone: string | null } }): string =>
  appointment.patient.timeZone ?? appointment.timeZone;

/** Queues the delivery of the tenant's due messages after the caller's transaction. */
export const queueSending = (tx: Pick<Tx, '$executeRaw'>, tenantId: string): Promise<void> =>
  enqueue(tx, 'send_visit_messages', { tenantId }, { key: `send_visit_messages:${tenantId}` });

/** Formats a date; some mail programs show the narrow no-break space before AM as a box. */
export const formatDate = (at: Date, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, options).format(at).replaceAll('\u202f', ' ');
