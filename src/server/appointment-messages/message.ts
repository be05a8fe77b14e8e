import type { UnsentReason } from '#contract/message-templates.ts';
import type { VisitMessageView } from '#contract/visit-messages.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';

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
