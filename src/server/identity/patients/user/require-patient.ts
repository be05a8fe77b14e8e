import type { Actor } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';

type PatientActor = Extract<Actor, { kind: 'patient' }>;

/** Returns the patient of the request, impersonated or not. */
export function requirePatient({ actor }: Context): PatientActor {
  if (actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient may do this.');
  return actor;
}

/** Requires the patient in person: no one else may change how they sign in. */
export function requireSession(ctx: Context): PatientActor & { sessionId: string } {
  const { sessionId, ...actor } = requirePatient(ctx);
  if (!sessionId || actor.impersonatedBy !== null)
    throw apiError('forbidden', 'Only the patient in person may do this, not an application that acts for them.');
  return { ...actor, sessionId };
}
