import type { ErrorCode } from '#contract/errors.ts';
import type { Route } from '#contract/routes.ts';
import type { RestRequest } from '../rest-client.ts';
import type { WebhookTarget } from '../webhook-target.ts';

/** The records that a request is about. */
export type Target = {
  patientId: string;
  subscriptionId: string;
  /** The subscription's payment. */
  paymentId: string;
  appointmentId: string;
  eventId: string;
  taskId: string;
  cardId: string;
  practitionerId: string;
  /** A canceled Acuity booking without a patient. */
  unmatchedId: string;
  /** A message of the appointment. */
  messageId: string;
} & WebhookTarget;

/**
 * How a route identifies the record: `object` by an id in the path, `list` by `patient_id` in the query, `create` by
 * `patient_id` in the body, `self` by the token; `open` needs none.
 */
export type Sample = {
  kind: 'object' | 'list' | 'create' | 'self' | 'open';
  request(target: Target, time: FreeSlot): Pick<RestRequest, 'path' | 'body'>;
  /** The request consumes its target, so each success needs a new one. */
  consumes?: boolean;
  /** The error that an authorised request gets, given the state of the target. */
  meets?: ErrorCode;
};

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/**
 * The provider's prices and free slots for samples, and a return page. A subscription to `trialPriceId` needs no
 * payment at first, so it can be changed at once.
 */
export type Offer = { priceId: string; trialPriceId: string; typeId: number; times: FreeSlot[]; page: string };
export type FreeSlot = { from_date: string; calendar_id: number };

export function takeSlot(offer: Offer): FreeSlot {
  const next = offer.times.shift();
  if (!next) throw new Error('the samples ran out of free times');
  return next;
}

/** A request that concerns no patient's record. */
export const open = (path: string): Sample => ({ kind: 'open', request: () => ({ path }) });
/** By `patient_id` in the query. */
export const byPatient = (path: string): Sample => ({
  kind: 'list',
  request: ({ patientId }) => ({ path: `${path}?patient_id=${patientId}` }),
});
/** By an id in the path. */
export const object = (path: (target: Target) => string, body?: unknown): Sample => ({
  kind: 'object',
  request: (target) => ({ path: path(target), ...(body !== undefined && { body }) }),
});
