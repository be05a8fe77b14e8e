import type { Subscription } from './api-types.ts';
import { callApi } from './call-api.ts';

const OVER = ['canceled', 'incomplete_expired'];

/** Returns the live subscription, if there is one. */
export async function findSubscription(
  patientId: string,
): Promise<Subscription | null> {
  const all = await callApi<Subscription[]>(
    'GET',
    `/subscriptions?patient_id=${patientId}`,
  );
  return all.find(({ status }) => !OVER.includes(status)) ?? null;
}

/**
 * A single subscription contains the client secret for a payment, except while
 * Stripe cannot be reached; a list never does.
 */
export const readSubscription = (id: string): Promise<Subscription> =>
  callApi('GET', `/subscriptions/${id}`);

export const secretOf = ({
  latest_invoice,
  pending_setup_intent,
}: Subscription): string | undefined =>
  (pending_setup_intent ?? latest_invoice?.payment_intent)?.client_secret;
