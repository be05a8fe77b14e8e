import {
  ChangeChoiceInput,
  MessageChoicesInput,
  type MessageChoicesView,
  OpenChoicesInput,
  RecordChoiceInput,
} from '#contract/message-choices.ts';
import { NoInput } from '#contract/patients.ts';
import { isStaff, requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { assertNotMerged, loadPatientFor, lockPatient } from '#server/patients/index.ts';
import { changeChoice, openChoices, unsubscribe } from './choices-page.ts';
import { getChoices } from './get-choices.ts';
import { checkMailDomain } from './mail-domain.ts';
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
    assertNotMerged(patient);
    await setChoice(tx, ctx, {
      ...{ patientId, channel, state, words },
      address: channel === 'email' ? patient.email : patient.phoneNumber,
      because: byPatient ? 'patient' : 'staff',
      madeBy: isStaff(actor) && 'userId' in actor ? actor.userId : null,
    });
  });
  return getChoices(ctx, { id: patientId });
}

export { receiveMailWebhook } from './mail-webhook.ts';

export const messageChoicesRouter = router({
  get: patientData('Patient')
    .input(MessageChoicesInput)
    .query(({ ctx, input }) => getChoices(ctx, input)),
  note: patientData('Patient')
    .input(RecordChoiceInput)
    .mutation(({ ctx, input }) => recordChoice(ctx, input)),
  open: patientData('Patient')
    .input(OpenChoicesInput)
    .query(({ ctx, input }) => openChoices(ctx, input)),
  change: patientData('Patient')
    .input(ChangeChoiceInput)
    .mutation(({ ctx, input }) => changeChoice(ctx, input)),
  unsubscribe: patientData('Patient')
    .input(OpenChoicesInput)
    .mutation(({ ctx, input }) => unsubscribe(ctx, input)),
});

/** The portal's page Messages. */
export const mailDomainRouter = router({
  check: noPatient.input(NoInput.optional()).query(({ ctx }) => checkMailDomain(ctx)),
});
