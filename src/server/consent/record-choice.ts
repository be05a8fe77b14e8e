import type { MessageChoicesView, RecordChoiceInput } from '#contract/message-choices.ts';
import { isStaff, requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadPatientFor, lockPatient } from '#server/patients/patient.ts';
import { getChoices } from './get-choices.ts';
import { setChoice } from './set-choice.ts';

/**
 * Records which messages a patient wants, with their words.
 * @throws `not_found`, `conflict` if only the patient or their phone can undo the current state
 */
export async function recordChoice(ctx: Context, input: RecordChoiceInput): Promise<MessageChoicesView> {
  const { actor } = ctx;
  requireScope(actor, 'patients:write');
  const { id: patientId, channel, state, words } = input;
  await loadPatientFor(ctx, patientId);
  const byPatient = actor.kind === 'patient' && !actor.impersonatedBy;
  await ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, patientId);
    await setChoice(tx, ctx, {
      ...{ patientId, channel, state, words },
      address: channel === 'email' ? patient.email : patient.phoneNumber,
      because: byPatient ? 'patient' : 'staff',
      madeBy: isStaff(actor) && 'userId' in actor ? actor.userId : null,
    });
  });
  return getChoices(ctx, { id: patientId });
}
