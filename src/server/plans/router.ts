import { ListPlansInput } from '#contract/subscriptions.ts';
import { router, sharedRead } from '#server/core/trpc.ts';
import { listPlans } from './list-plans.ts';

export const plansRouter = router({
  list: sharedRead.input(ListPlansInput).query(({ ctx, input }) => listPlans(ctx, input)),
});
