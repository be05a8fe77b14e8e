import type { ErrorCode } from '#contract/errors.ts';
import type { Route } from '#contract/routes.ts';
import type { RestRequest } from '../rest-client.ts';
import type { WebhookTarget } from '../webhook-target.ts';

/** Whose records a request is about. */
export type Target = {
  patientId: string;
  subscriptionId: string;
  /** What the subscription was billed. */
  paymentId: string;
  appointmentId: string;
  eventId: string;
  cardId: string;
  practitionerId: string;
  /** A booking at Acuity of nobody known here, that has been canceled there. */
  unmatchedId: string;
  /** Of the appointment. */
  messageId: string;
} & WebhookTarget;

/**
 * How a route says whose record it wants: `object` by its own id in the path, `list` by `patient_id` in the query,
 * `create` by `patient_id` in the body, `self` by the token alone; `open` wants nobody's.
 */
export type Sample = {
  kind: 'object' | 'list' | 'create' | 'self' | 'open';
  request(target: Target, time: FreeTime): Pick<RestRequest, 'path' | 'body'>;
  /** Uses its target up, so that each success needs a new one. */
  consumes?: boolean;
  /** The refusal that whoever is let in meets, the target being what it is. */
  meets?: ErrorCode;
};

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/**
 * What the provider's side offers to samples: prices, free times that nobody asked for yet, and a page to come back to.
 * `trialPriceId` needs no payment to begin with: what is made of it may be changed at once.
 */
export type Offer = { priceId: string; trialPriceId: string; typeId: number; times: FreeTime[]; page: string };
export type FreeTime = { from_date: string; calendar_id: number };

export function takeTime(offer: Offer): FreeTime {
  const next = offer.times.shift();
  if (!next) throw new Error('the samples ran out of free times');
  return next;
}

/** For whoever may call it: it wants nobody's record. */
export const open = (path: string): Sample => ({ kind: 'open', request: () => ({ path }) });
/** By `patient_id` in the query. */
export const byPatient = (path: string): Sample => ({
  kind: 'list',
  request: ({ patientId }) => ({ path: `${path}?patient_id=${patientId}` }),
});
/** By its own id in the path. */
export const object = (path: (target: Target) => string, body?: unknown): Sample => ({
  kind: 'object',
  request: (target) => ({ path: path(target), ...(body !== undefined && { body }) }),
});
