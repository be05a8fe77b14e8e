import { GetPromotionCodeInput } from '#contract/promotion-codes.ts';
import { GetPlanInput, ListPlansInput } from '#contract/subscriptions.ts';
import { noPatient, noPatientAs, router } from '#server/core/trpc.ts';
import { getPlan } from './get-plan.ts';
import { listPlans } from './list-plans.ts';
import { getPromotionCode } from './plan.ts';

export const plansRouter = router({
  list: noPatient.input(ListPlansInput).query(({ ctx, input }) => listPlans(ctx, input)),
  get: noPatient.input(GetPlanInput).query(({ ctx, input }) => getPlan(ctx, input)),
  promotionCode: noPatientAs('plans.get_promotion_code')
    .input(GetPromotionCodeInput)
    .query(({ ctx, input }) => getPromotionCode(ctx, input)),
});
