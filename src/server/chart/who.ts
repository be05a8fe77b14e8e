import type { Context } from '#server/core/context.ts';
import { namesFor, presentActor } from '../audit/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** By whose doing the service acts; any other work is its own. */
const BEHIND: Record<string, string> = {
  stripe_webhook: 'Stripe',
  refresh_subscription: 'Stripe',
  acuity_webhook: 'The clinic’s calendar',
  // What no webhook told of and a look there found.
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
  Visitor: 'Whoever opened a link',
};

/** Who did each of these, in words. Entries hold ids only: it is what they are called today. */
export async function whoDid(ctx: Context, patientId: string, rows: ChangeRow[]): Promise<(row: ChangeRow) => string> {
  const names = await namesFor(ctx, rows);
  return (row) => {
    if (row.actorType === 'System') return BEHIND[row.actorId] ?? 'Carelane';
    if (row.actorType === 'Patient' && row.actorId === patientId) return 'The patient';
    const name = presentActor(row, names).name ?? WITHOUT_NAME[row.actorType] ?? row.actorType;
    return row.onBehalfOf === null ? name : `${name}, in the name of the patient`;
  };
}
