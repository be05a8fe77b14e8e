import type { Context } from '#server/core/context.ts';
import { namesFor, presentActor } from '../audit/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** The originator behind an action of the system, by job; other jobs act for the service itself. */
const BEHIND: Record<string, string> = {
  stripe_webhook: 'Stripe',
  refresh_subscription: 'Stripe',
  acuity_webhook: 'The clinic’s calendar',
  // A change found by a comparison rather than by a webhook.
  refresh_appointment: 'The clinic’s calendar',
  undo_address_change: 'The patient, by a link',
  confirm_email_change: 'The patient, by a link',
  close_sign_in: 'Carelane',
};
const WITHOUT_NAME: Record<string, string> = {
  Admin: 'A former administrator',
  Practitioner: 'A former colleague',
  Application: 'An application',
  Patient: 'A patient',
  Visitor: 'A person with the link',
};

/** Returns the name of each change's actor. Entries store only ids, so it is the current name. */
export async function whoDid(ctx: Context, patientId: string, rows: ChangeRow[]): Promise<(row: ChangeRow) => string> {
  const names = await namesFor(ctx, rows);
  return (row) => {
    if (row.actorType === 'System') return BEHIND[row.actorId] ?? 'Carelane';
    if (row.actorType === 'Patient' && row.actorId === patientId) return 'The patient';
    const name = presentActor(row, names).name ?? WITHOUT_NAME[row.actorType] ?? row.actorType;
    return row.onBehalfOf === null ? name : `${name}, in the name of the patient`;
  };
}
