import type { AuditActor } from '#contract/audit.ts';

/** Same pattern as the contract's UUID; to import that schema would load zod. */
const ID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;
export const isId = (text: string): boolean => ID.test(text);

/** Actors that are filtered by their type: patients are too many to choose from, the others have no account. */
export const ACTOR_TYPES = [
  { value: 'Patient', label: 'Patients' },
  { value: 'Visitor', label: 'People not signed in' },
  { value: 'System', label: 'The service' },
] as const satisfies { value: AuditActor['type']; label: string }[];

/** Returns the filter for a value of the page's address: an actor's id or a type; none for any other text. */
export function actorFilter(who: string): { actor_id?: string; actor_type?: AuditActor['type'] } {
  if (isId(who)) return { actor_id: who };
  const type = ACTOR_TYPES.find(({ value }) => value === who);
  return type ? { actor_type: type.value } : {};
}
