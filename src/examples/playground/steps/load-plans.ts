import type { Plan } from './api-types.ts';
import { callApi } from './call-api.ts';

/** Returns the plans that a patient can subscribe to, the cheapest first. */
export async function loadPlans(): Promise<Plan[]> {
  const plans = await callApi<Plan[]>('GET', '/subscription_plans');
  return plans.filter((plan) => plan.active && plan.recurring);
}
