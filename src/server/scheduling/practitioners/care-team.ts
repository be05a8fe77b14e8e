import type { PractitionerView } from '#contract/practitioners.ts';
import { CARE_ROLES } from '#contract/roles.ts';
import type { StaffUser } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { type BookableType, type Calendar, type Catalogue, getCatalogue } from '../catalogue/catalogue.ts';

type Member = Pick<StaffUser, 'id' | 'name' | 'email' | 'disabledAt' | 'createdAt' | 'updatedAt'>;
/** A staff user who sees patients: one with the role `practitioner`, or an administrator with a calendar. */
export type Practitioner = Member & { calendars: Calendar[] };

const EMPTY: Pick<Catalogue, 'types' | 'calendars'> = { types: [], calendars: [] };

/** Returns the provider's catalogue, or an empty one while no provider is connected. */
export async function getCatalogueOrEmpty(ctx: Context): Promise<Pick<Catalogue, 'types' | 'calendars'>> {
  try {
    return await getCatalogue(ctx);
  } catch (error) {
    if (error instanceof CarelaneError && error.code === 'integration_not_connected') return EMPTY;
    throw error;
  }
}

/** Returns the staff users who see patients, ordered by name; a team fits in memory. */
export async function listCareTeam(
  { db, tenantId }: Context,
  calendars: Calendar[],
  who: { id: string } | 'active' = 'active',
): Promise<Practitioner[]> {
  const rows = await db.staffUser.findMany({
    where: { tenantId, role: { in: [...CARE_ROLES] }, ...(who === 'active' ? { disabledAt: null } : { id: who.id }) },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    select: { id: true, name: true, email: true, role: true, disabledAt: true, createdAt: true, updatedAt: true },
  });
  return rows
    .map(({ role, ...row }) => ({
      ...row,
      role,
      calendars: calendars.filter(({ practitionerId }) => practitionerId === row.id),
    }))
    .filter((row) => row.role === 'practitioner' || row.calendars.length > 0);
}

/** Returns the types that any of these calendars offers, in the provider's order. */
export const typesOf = (calendars: Calendar[], types: BookableType[]): { id: number; name: string }[] =>
  types.filter(({ id }) => calendars.some(({ typeIds }) => typeIds.includes(id))).map(({ id, name }) => ({ id, name }));

/** Returns the presenter of practitioners; those without a calendar get the tenant's time zone. */
export async function practitionerPresenter(
  { db, tenantId }: Context,
  types: BookableType[],
): Promise<(row: Practitioner) => PractitionerView> {
  const tenant = await db.tenant.findFirstOrThrow({ where: { id: tenantId }, select: { timeZone: true } });
  return (row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    active: row.disabledAt === null,
    time_zone: row.calendars[0]?.timeZone ?? tenant.timeZone,
    calendars: row.calendars.map(({ id, name, timeZone }) => ({ id, name, time_zone: timeZone })),
    appointment_types: typesOf(row.calendars, types),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
}
