import type { Role } from '#contract/roles.ts';
import { type Actor, actorOfStaff, isTwoStepRequired } from '../../core/actor.ts';
import type { Services } from '../../core/context.ts';

export type StaffState = { role: Role; options: string[]; twoStep: boolean };
export type StaffSessionRef = { userId: string; tenantId: string; sessionId: string };

const keyOf = ({ tenantId, userId, sessionId }: StaffSessionRef) => `${tenantId}/${userId}/${sessionId}`;

/**
 * Resolves a session to its actor, cached for up to one second. Only the ids in the cookie are used, so an ended
 * session, a changed role, a changed permission or a disabled user takes effect at once. One statement.
 * @returns null when the session has ended
 */
export async function staffActor(services: Services, session: StaffSessionRef): Promise<Actor | null> {
  const { userId, tenantId, sessionId } = session;
  const state = await services.identity.staff.get(keyOf(session), async () => {
    const [row] = await services.database.forTenant(tenantId).$queryRaw<StaffState[]>`
      select u.role, c.practitioner_options as options, t.turned_on_at is not null as "twoStep"
      from staff_sessions s
      join tenants c on c.id = s.tenant_id
      join staff_users u on u.tenant_id = s.tenant_id and u.id = s.user_id
      left join staff_two_steps t on t.tenant_id = u.tenant_id and t.user_id = u.id
      where s.tenant_id = ${tenantId}::uuid and s.id = ${sessionId}::uuid and s.user_id = ${userId}::uuid
        and s.ended_at is null and u.disabled_at is null`;
    return row ?? null;
  });
  if (!state) return null;
  const { role, options, twoStep } = state;
  const staff = actorOfStaff({ role, tenantId, userId, sessionId }, options);
  const isDue = isTwoStepRequired(services.config, staff.permissions) && !twoStep;
  return isDue ? { kind: 'enrolling', role, tenantId, userId, sessionId } : staff;
}

/** Invalidates the cached session in this process; other processes notice within a second. */
export function invalidateStaffSession(services: Services, session: StaffSessionRef): void {
  services.identity.staff.invalidate(keyOf(session));
}
