import type { Scope } from '#contract/scopes.ts';
import { apiError } from './errors.ts';

/** The authenticated caller. Each entry point turns its kind of credential into one of these. */
export type Actor =
  | { kind: 'application'; tenantId: string; clientId: string; scopes: ReadonlySet<Scope> }
  | {
      kind: 'patient';
      tenantId: string;
      patientId: string;
      clientId: string;
      impersonatedBy: string | null;
      /** The session that the token belongs to. Impersonation tokens have none. */
      sessionId?: string;
    }
  | { kind: 'practitioner' | 'admin'; tenantId: string; userId: string; sessionId?: string }
  /** An administrator who must set up two-step sign-in before any other use. */
  | { kind: 'enrolling'; tenantId: string; userId: string; sessionId?: string }
  /** The visitor of the checkout page, who holds only a link's token. */
  | { kind: 'visitor'; tenantId: string }
  | { kind: 'system'; tenantId: string; job: string };

export const isStaff = (actor: Actor): boolean => actor.kind === 'practitioner' || actor.kind === 'admin';

/** Returns the author's type and id, for events and the audit log. */
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

/** Returns a string that is unique per credential; rate limits and idempotency keys are stored under it. */
export function credentialOf(actor: Actor): string {
  const { type, id } = authorOf(actor);
  return actor.kind === 'patient' && actor.impersonatedBy ? `${type}:${id}:${actor.impersonatedBy}` : `${type}:${id}`;
}

/**
 * Passes applications with the scope, all staff and, unless `patients: false`, patients. The query must still restrict
 * the caller to the records that belong to them.
 * @throws `forbidden`
 */
export function requireScope(actor: Actor, scope: Scope, options: { patients?: boolean } = {}): void {
  if (isStaff(actor) || actor.kind === 'system') return;
  if (actor.kind === 'application' && (actor.scopes.has(scope) || actor.scopes.has('admin'))) return;
  if (actor.kind === 'patient' && options.patients !== false) return;
  if (actor.kind === 'application') throw apiError('forbidden', `This application lacks the scope "${scope}".`);
  throw apiError('forbidden', 'This is not open to you.');
}

/** Passes portal admins and applications with the admin scope. @throws `forbidden` */
export function requireAdmin(actor: Actor): void {
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  if (actor.kind === 'application' && actor.scopes.has('admin')) return;
  throw apiError('forbidden', 'Only an administrator may do this.');
}

export function requireStaff(actor: Actor): void {
  if (!isStaff(actor) && actor.kind !== 'system') throw apiError('forbidden', 'Only staff may do this.');
}
