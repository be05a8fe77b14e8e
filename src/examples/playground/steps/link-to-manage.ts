import type { ManageLink } from './api-types.ts';
import { callApi } from './call-api.ts';

/**
 * The clinic's own page for one subscription: what is due, bills, card, plan. It is
 * the patient's alone, and good for a day.
 */
export const linkToManage = (subscriptionId: string): Promise<ManageLink> =>
  callApi('POST', `/subscriptions/${subscriptionId}/manage_link`, { body: {} });
