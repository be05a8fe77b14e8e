import { PRACTITIONER_OPTIONS, type PractitionerOption, type Role } from '#contract/roles.ts';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import { actorOfStaff, credentialOf } from '#server/core/actor.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { newId } from '#server/core/ids.ts';

/** Creates a tenant for a test suite: its row and its route only. */
export async function makeTenant(
  services: Services,
  values: { name?: string; timeZone?: string; invitesEnabled?: boolean } = {},
): Promise<{ id: string }> {
  const id = newId();
  const db = services.database.forTenant(id);
  await db.tenant.create({
    data: { id, name: 'Example Clinic', timeZone: 'America/New_York', ...values },
  });
  await db.tenantRoute.create({ data: { key: 'tenants', tenantId: id } });
  return { id };
}

type Tenant = { id: string };

export const asApplication = (services: Services, tenant: Tenant, scopes: readonly Scope[] = SCOPES): Context =>
  contextFor(services, { kind: 'application', tenantId: tenant.id, clientId: newId(), scopes: new Set(scopes) });

export const asPatient = (
  services: Services,
  tenant: Tenant,
  patientId: string,
  impersonatedBy: string | null = null,
): Context =>
  contextFor(services, { kind: 'patient', tenantId: tenant.id, patientId, clientId: newId(), impersonatedBy });

export const asAdmin = (services: Services, tenant: Tenant, userId = newId()): Context =>
  contextFor(services, actorOfStaff({ role: 'admin', tenantId: tenant.id, userId }));

/** A practitioner of a clinic that allows its practitioners everything that it can, unless `options` say less. */
export const asPractitioner = (
  services: Services,
  tenant: Tenant,
  userId = newId(),
  options: readonly PractitionerOption[] = PRACTITIONER_OPTIONS,
): Context => contextFor(services, actorOfStaff({ role: 'practitioner', tenantId: tenant.id, userId }, options));

export const asStaff = (services: Services, tenant: Tenant, role: Role, userId = newId()): Context =>
  contextFor(services, actorOfStaff({ role, tenantId: tenant.id, userId }));

/** The same caller with a held Idempotency-Key. */
export const withKey = (ctx: Context, key: string): Context => ({
  ...ctx,
  keyed: {
    key,
    id: sha256(`${credentialOf(ctx.actor)} ${key}`),
    holder: newId(),
    does: [],
    assertHeld: async () => undefined,
  },
});

/** The same caller, and the number of responses that were replays of an earlier request. */
export function countReplays(ctx: Context) {
  const counts = { replays: 0 };
  const onReplay = () => {
    counts.replays += 1;
  };
  return { ctx: { ...ctx, onReplay }, counts };
}
