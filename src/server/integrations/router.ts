import { z } from 'zod';
import { NoInput } from '#contract/patients.ts';
import { ConnectAcuityInput } from '#contract/settings.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { checkAcuity } from './check-acuity.ts';
import { checkStripe } from './check-stripe.ts';
import { connectAcuity } from './connect-acuity.ts';
import { connectStripe } from './connect-stripe.ts';
import { createOnboardingLink } from './create-onboarding-link.ts';
import { listIntegrations } from './list-integrations.ts';

const CheckInput = z.strictObject({ provider: z.enum(['stripe', 'acuity']) });

export const integrationsRouter = router({
  list: noPatient.input(NoInput).query(({ ctx }) => listIntegrations(ctx)),
  connectStripe: noPatient.input(NoInput).mutation(({ ctx }) => connectStripe(ctx)),
  stripeOnboarding: noPatient.input(NoInput).mutation(({ ctx }) => createOnboardingLink(ctx)),
  connectAcuity: noPatient.input(ConnectAcuityInput).mutation(({ ctx, input }) => connectAcuity(ctx, input)),
  check: noPatient
    .input(CheckInput)
    .mutation(({ ctx, input }) => (input.provider === 'stripe' ? checkStripe(ctx) : checkAcuity(ctx))),
});
