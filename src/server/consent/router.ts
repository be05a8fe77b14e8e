import {
  ChangeChoiceInput,
  MessageChoicesInput,
  OpenChoicesInput,
  RecordChoiceInput,
} from '#contract/message-choices.ts';
import { NoInput } from '#contract/patients.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { changeChoice, openChoices, unsubscribe } from './choices-page.ts';
import { getChoices } from './get-choices.ts';
import { checkMailDomain } from './mail-domain.ts';
import { recordChoice } from './record-choice.ts';

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
