import type { Subscription } from './api-types.ts';
import { callApi } from './call-api.ts';

const OVER = ['canceled', 'incomplete_expired'];

/** The subscription that goes on, read by itself: a list never carries the secret that a payment needs. */
export async function loadSubscription(patientId: string): Promise<Subscription | null> {
  const all = await callApi<Subscription[]>('GET', `/subscriptions?patient_id=${patientId}`);
  const current = all.find(({ status }) => !OVER.includes(status));
  return current ? callApi('GET', `/subscriptions/${current.id}`) : null;
}
