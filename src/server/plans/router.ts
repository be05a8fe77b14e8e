import { ListPlansInput } from '#contract/subscriptions.ts';
import { procedure, router } from '#server/core/trpc.ts';
import { listPlans } from './list-plans.ts';

export const plansRouter = router({
  list: procedure.input(ListPlansInput).query(({ ctx, input }) => listPlans(ctx, input)),
});
