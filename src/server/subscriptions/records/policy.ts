import type { Subscription } from '#generated/prisma/client.ts';
import { type Actor, isStaff } from '#server/core/actor.ts';

/** Client secrets go to the patient itself, its impersonator and the application that created the subscription. */
export const maySeeSecrets = (
  actor: Actor,
  { patientId, createdByClientId }: Pick<Subscription, 'patientId' | 'createdByClientId'>,
): boolean =>
  (actor.kind === 'patient' && actor.patientId === patientId) ||
  (actor.kind === 'application' && actor.clientId === createdByClientId);

/** The rows that the actor may see: a patient's own, everybody else's whole tenant. */
export function visibleTo(actor: Actor): { tenantId: string; patientId?: string } {
  if (actor.kind === 'patient') return { tenantId: actor.tenantId, patientId: actor.patientId };
  if (actor.kind === 'application' || actor.kind === 'system' || isStaff(actor)) return { tenantId: actor.tenantId };
  throw new Error('a visitor sees no subscriptions');
}

/** Nothing can happen to it any more. */
export const ENDED = ['canceled', 'incomplete_expired'];
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => ENDED.includes(status);
