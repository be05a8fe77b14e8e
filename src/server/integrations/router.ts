import { z } from 'zod';
import {
  ConnectAcuityInput,
  DisconnectAcuityInput,
  DisconnectStripeInput,
  IntegrationProvider,
  RepairAcuityInput,
  StripeOnboardingInput,
  UpdateAcuityInput,
  UpdateStripeInput,
} from '#contract/integrations.ts';
import { NoInput } from '#contract/patients.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { checkAcuity, checkStripe, startReconciliation } from './check-integration.ts';
import { connectAcuity, updateAcuity } from './connect-acuity.ts';
import { connectStripe } from './connect-stripe.ts';
import { createOnboardingLink } from './create-onboarding-link.ts';
import { disconnectAcuity } from './disconnect-acuity.ts';
import { disconnectStripe } from './disconnect-stripe.ts';
import { getAcuityIntegration, getStripeIntegration, listIntegrations } from './list-integrations.ts';
import { repairAcuity } from './repair-acuity.ts';
import { updateStripe } from './update-stripe.ts';

const CheckInput = z.strictObject({ provider: IntegrationProvider });

export const integrationsRouter = router({
  list: noPatient.input(NoInput).query(({ ctx }) => listIntegrations(ctx)),
  getStripe: noPatient.input(NoInput).query(({ ctx }) => getStripeIntegration(ctx)),
  connectStripe: noPatient.input(NoInput).mutation(({ ctx }) => connectStripe(ctx)),
  updateStripe: noPatient.input(UpdateStripeInput).mutation(({ ctx, input }) => updateStripe(ctx, input)),
  disconnectStripe: noPatient.input(DisconnectStripeInput).mutation(({ ctx, input }) => disconnectStripe(ctx, input)),
  stripeOnboarding: noPatient
    .input(StripeOnboardingInput)
    .mutation(({ ctx, input }) => createOnboardingLink(ctx, input)),
  getAcuity: noPatient.input(NoInput).query(({ ctx }) => getAcuityIntegration(ctx)),
  connectAcuity: noPatient.input(ConnectAcuityInput).mutation(({ ctx, input }) => connectAcuity(ctx, input)),
  updateAcuity: noPatient.input(UpdateAcuityInput).mutation(({ ctx, input }) => updateAcuity(ctx, input)),
  disconnectAcuity: noPatient.input(DisconnectAcuityInput).mutation(({ ctx, input }) => disconnectAcuity(ctx, input)),
  repairAcuity: noPatient.input(RepairAcuityInput).mutation(({ ctx, input }) => repairAcuity(ctx, input)),
  check: noPatient.input(CheckInput).mutation(async ({ ctx, input: { provider } }) => {
    const view = await (provider === 'stripe' ? checkStripe(ctx) : checkAcuity(ctx));
    await startReconciliation(ctx, provider);
    return view;
  }),
});
