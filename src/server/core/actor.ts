import type { Scope } from '#contract/scopes.ts';
import { refuse } from './errors.ts';

/** Who is asking. Every door turns its kind of credential into one of these. */
export type Actor =
  | { kind: 'application'; tenantId: string; clientId: string; scopes: ReadonlySet<Scope> }
  | {
      kind: 'patient';
      tenantId: string;
      patientId: string;
      clientId: string;
      impersonatedBy: string | null;
      /** The session that the token belongs to; an impersonation has none. */
      sessionId?: string;
    }
  | { kind: 'practitioner' | 'admin'; tenantId: string; userId: string; sessionId?: string }
  /** An administrator who has to set up two-step sign-in first, and may do nothing else until then. */
  | { kind: 'enrolling'; tenantId: string; userId: string; sessionId?: string }
  /** The checkout page's visitor: holds a link's token and nothing else. */
  | { kind: 'visitor'; tenantId: string }
  | { kind: 'system'; tenantId: string; job: string };

export const isStaff = (actor: Actor): boolean => actor.kind === 'practitioner' || actor.kind === 'admin';

/** For events and audit: what kind of author, and which. */
export function authorOf(actor: Actor): { type: string; id: string } {
  switch (actor.kind) {
    case 'application':
      return { type: 'Application', id: actor.clientId };
    case 'patient':
      return { type: 'Patient', id: actor.patientId };
    case 'practitioner':
      return { type: 'Practitioner', id: actor.userId };
    case 'admin':
    case 'enrolling':
      return { type: 'Admin', id: actor.userId };
    case 'visitor':
      return { type: 'Visitor', id: 'link' };
    case 'system':
      return { type: 'System', id: actor.job };
  }
}

/** One string for each credential: rate limits and idempotency keys are counted under it. */
export function credentialOf(actor: Actor): string {
  const { type, id } = authorOf(actor);
  return actor.kind === 'patient' && actor.impersonatedBy ? `${type}:${id}:${actor.impersonatedBy}` : `${type}:${id}`;
}

/**
 * Lets an application with the scope, any staff and (unless `patients: false`) patients through; who is let through
 * must still be kept to its own records by the verb's query.
 */
export function requireScope(actor: Actor, scope: Scope, options: { patients?: boolean } = {}): void {
  if (isStaff(actor) || actor.kind === 'system') return;
  if (actor.kind === 'application' && (actor.scopes.has(scope) || actor.scopes.has('admin'))) return;
  if (actor.kind === 'patient' && options.patients !== false) return;
  if (actor.kind === 'application') throw refuse('forbidden', `This application lacks the scope "${scope}".`);
  throw refuse('forbidden', 'This is not open to you.');
}

/** Only admins in the portal, and applications with the admin scope. */
export function requireAdmin(actor: Actor): void {
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  if (actor.kind === 'application' && actor.scopes.has('admin')) return;
  throw refuse('forbidden', 'Only an administrator may do this.');
}

export function requireStaff(actor: Actor): void {
  if (!isStaff(actor) && actor.kind !== 'system') throw refuse('forbidden', 'Only staff may do this.');
}
