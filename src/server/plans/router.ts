import { ListPlansInput } from '#contract/subscriptions.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { listPlans } from './list-plans.ts';

export const plansRouter = router({
  list: noPatient.input(ListPlansInput).query(({ ctx, input }) => listPlans(ctx, input)),
});
