import type { Page } from '#contract/conventions.ts';
import { ArchivePlanInput, ChangePriceInput, CreatePlanInput, UpdatePlanInput } from '#contract/plan-changes.ts';
import { ArchivePromotionCodeInput, CreatePromotionCodeInput } from '#contract/promotion-code-changes.ts';
import { GetPromotionCodeInput } from '#contract/promotion-codes.ts';
import { GetPlanInput, ListPlansInput, type PlanView } from '#contract/subscriptions.ts';
import { requireScope, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { wholeOrPage } from '#server/core/paging.ts';
import { noPatient, noPatientAs, router } from '#server/core/trpc.ts';
import { getStripeAccount } from '#server/integrations/index.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { archivePlan, unarchivePlan } from './archive-plan.ts';
import { changePrice } from './change-price.ts';
import { createPlan } from './create-plan.ts';
import { createPromotionCode } from './create-promotion-code.ts';
import { countSubscriptions, listAllPlans } from './list-all-plans.ts';
import { archivePromotionCode, listPromotionCodes, unarchivePromotionCode } from './list-promotion-codes.ts';
import { getPromotionCode, loadPlans, presentPlan } from './plan.ts';
import { updatePlan } from './update-plan.ts';

/** Lists the connected account's active recurring prices, cheapest first. */
export async function listPlans(ctx: Context, input: ListPlansInput): Promise<Page<PlanView>> {
  requireScope(ctx.actor, 'subscriptions:read');
  return wholeOrPage(await loadPlans(ctx, await getStripeAccount(ctx)), input);
}

/**
 * Returns a plan from Stripe by its price, also an archived one, which lists leave out but subscriptions may still
 * have.
 */
export async function getPlan(ctx: Context, { price_id }: GetPlanInput): Promise<PlanView> {
  requireStaff(ctx.actor, 'subscriptions:read');
  const accountId = await getStripeAccount(ctx);
  try {
    return presentPlan(await ctx.providers.stripeClient(ctx).getPrice(accountId, price_id));
  } catch (error) {
    throw error instanceof StripeRejection && error.reason === 'resource_missing' ? notFound('plan') : error;
  }
}

export const plansRouter = router({
  list: noPatient.input(ListPlansInput).query(({ ctx, input }) => listPlans(ctx, input)),
  get: noPatient.input(GetPlanInput).query(({ ctx, input }) => getPlan(ctx, input)),
  listAll: noPatient.query(({ ctx }) => listAllPlans(ctx)),
  countSubscriptions: noPatient.input(GetPlanInput).query(({ ctx, input }) => countSubscriptions(ctx, input)),
  create: noPatient.input(CreatePlanInput).mutation(({ ctx, input }) => createPlan(ctx, input)),
  update: noPatient.input(UpdatePlanInput).mutation(({ ctx, input }) => updatePlan(ctx, input)),
  changePrice: noPatient.input(ChangePriceInput).mutation(({ ctx, input }) => changePrice(ctx, input)),
  archive: noPatient.input(ArchivePlanInput).mutation(({ ctx, input }) => archivePlan(ctx, input)),
  unarchive: noPatient.input(ArchivePlanInput).mutation(({ ctx, input }) => unarchivePlan(ctx, input)),
  listPromotionCodes: noPatient.query(({ ctx }) => listPromotionCodes(ctx)),
  createPromotionCode: noPatient
    .input(CreatePromotionCodeInput)
    .mutation(({ ctx, input }) => createPromotionCode(ctx, input)),
  archivePromotionCode: noPatient
    .input(ArchivePromotionCodeInput)
    .mutation(({ ctx, input }) => archivePromotionCode(ctx, input)),
  unarchivePromotionCode: noPatient
    .input(ArchivePromotionCodeInput)
    .mutation(({ ctx, input }) => unarchivePromotionCode(ctx, input)),
  promotionCode: noPatientAs('plans.get_promotion_code')
    .input(GetPromotionCodeInput)
    .query(({ ctx, input }) => getPromotionCode(ctx, input)),
});
