import type { ManageLink } from './api-types.ts';
import { callApi } from './call-api.ts';

/**
 * The clinic's page for one subscription: payment due, bills, card, plan. The link
 * is for the patient only and valid for a day.
 */
export const linkToManage = (subscriptionId: string): Promise<ManageLink> =>
  callApi('POST', `/subscriptions/${subscriptionId}/manage_link`, { body: {} });
