import {
  CreateSetupIntentInput,
  ListPaymentMethodsInput,
  ListSetupIntentsInput,
  RemovePaymentMethodInput,
  SetDefaultPaymentMethodInput,
} from '#contract/cards.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listCards, removeCard, setDefaultCard } from './cards/change-cards.ts';
import { listCardSetups, startCardSetup } from './cards/save-card.ts';

export const cardsRouter = router({
  list: patientData('Patient')
    .input(ListPaymentMethodsInput)
    .query(({ ctx, input }) => listCards(ctx, input)),
  setDefault: patientData('Patient')
    .input(SetDefaultPaymentMethodInput)
    .mutation(({ ctx, input }) => setDefaultCard(ctx, input)),
  remove: patientData('Patient')
    .input(RemovePaymentMethodInput)
    .mutation(({ ctx, input }) => removeCard(ctx, input)),
  listSetups: patientData('Patient')
    .input(ListSetupIntentsInput)
    .query(({ ctx, input }) => listCardSetups(ctx, input)),
  startSetup: patientData('Patient')
    .input(CreateSetupIntentInput)
    .mutation(({ ctx, input }) => startCardSetup(ctx, input)),
});
