import {
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLES,
  type Role,
  TWO_STEP_PERMISSIONS,
} from '#contract/roles.ts';
import type { Scope } from '#contract/scopes.ts';
import type { Config } from './config.ts';
import { apiError } from './errors.ts';

/** A staff user with the permissions of their role. */
export type StaffActor = {
  kind: Role;
  permissions: ReadonlySet<Permission>;
  tenantId: string;
  userId: string;
  sessionId?: string;
};

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
  | StaffActor
  /** A staff user who must set up two-step sign-in before any other use. */
  | { kind: 'enrolling'; role: Role; tenantId: string; userId: string; sessionId?: string }
  /** The visitor of the checkout page, who holds only a link's token. */
  | { kind: 'visitor'; tenantId: string }
  | { kind: 'system'; tenantId: string; job: string };

const STAFF_KINDS: ReadonlySet<string> = new Set(ROLES);
export const isStaff = (actor: Actor): actor is StaffActor => STAFF_KINDS.has(actor.kind);

const AUTHOR_TYPES: Partial<Record<Role, string>> = { admin: 'Admin', practitioner: 'Practitioner' };

/** Returns the author's type and id, for events and the audit log. */
export function authorOf(actor: Actor): { type: string; id: string } {
  switch (actor.kind) {
    case 'application':
      return { type: 'Application', id: actor.clientId };
    case 'patient':
      return { type: 'Patient', id: actor.patientId };
    case 'visitor':
      return { type: 'Visitor', id: 'link' };
    case 'system':
      return { type: 'System', id: actor.job };
    default: {
      const role = actor.kind === 'enrolling' ? actor.role : actor.kind;
      return { type: AUTHOR_TYPES[role] ?? 'Staff', id: actor.userId };
    }
  }
}

/** Returns a string that is unique per credential; rate limits and idempotency keys are stored under it. */
export function credentialOf(actor: Actor): string {
  const { type, id } = authorOf(actor);
  return actor.kind === 'patient' && actor.impersonatedBy ? `${type}:${id}:${actor.impersonatedBy}` : `${type}:${id}`;
}

const FORBIDDEN = 'Your role does not allow this. Ask an administrator of your clinic.';

function holds({ permissions }: StaffActor, permission: Permission): true {
  if (permissions.has(permission)) return true;
  throw apiError('forbidden', `Your role lacks the permission "${permission}".`, { people: FORBIDDEN });
}

/** Scopes without a permission of the same name are about the clinic's systems. */
const permissionFor = (scope: Scope): Permission => (scope in PERMISSIONS ? (scope as Permission) : 'settings:manage');

/**
 * Passes applications with the scope, staff with the permission (`staff`, or the one of the same name) and, unless
 * `patients: false`, patients. The query must still restrict the caller to the records that belong to them.
 * @throws `forbidden`
 */
export function requireScope(
  actor: Actor,
  scope: Scope,
  { patients = true, staff = permissionFor(scope) }: { patients?: boolean; staff?: Permission } = {},
): void {
  if (actor.kind === 'system' || (isStaff(actor) && holds(actor, staff))) return;
  if (actor.kind === 'application' && (actor.scopes.has(scope) || actor.scopes.has('admin'))) return;
  if (actor.kind === 'patient' && patients) return;
  if (actor.kind === 'application') throw apiError('forbidden', `This application lacks the scope "${scope}".`);
  throw apiError('forbidden', 'This is not open to you.');
}

/** Passes staff with the permission and applications with the admin scope. @throws `forbidden` */
export function requireAdmin(actor: Actor, permission: Permission): void {
  if (actor.kind === 'system' || (isStaff(actor) && holds(actor, permission))) return;
  if (actor.kind === 'application' && actor.scopes.has('admin')) return;
  throw apiError('forbidden', 'Only an administrator may do this.');
}

/** Passes staff with the permission. @throws `forbidden` */
export function requireStaff(actor: Actor, permission: Permission): void {
  if (actor.kind === 'system' || (isStaff(actor) && holds(actor, permission))) return;
  throw apiError('forbidden', 'Only staff may do this.');
}

type StaffUserRef = { role: Role; tenantId: string; userId: string; sessionId?: string };

/** Returns the actor of a staff user; `options` are those that the clinic gives its practitioners. */
export const actorOfStaff = ({ role, ...user }: StaffUserRef, options: readonly string[] = []): StaffActor => ({
  kind: role,
  permissions: new Set(permissionsOf(role, options)),
  ...user,
});

/** Whether these permissions require two-step sign-in: in production, for refunds, exports and administration. */
export const isTwoStepRequired = (
  { environment }: Pick<Config, 'environment'>,
  permissions: ReadonlySet<Permission>,
): boolean => environment === 'production' && TWO_STEP_PERMISSIONS.some((permission) => permissions.has(permission));
