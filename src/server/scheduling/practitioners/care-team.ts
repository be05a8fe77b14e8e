import type { StaffUser } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { type BookableType, type Calendar, type Catalogue, getCatalogue } from '../catalogue/catalogue.ts';

type Member = Pick<StaffUser, 'id' | 'name' | 'email' | 'disabledAt' | 'createdAt' | 'updatedAt'>;
/** Somebody who sees patients: whoever works here as a practitioner, or has a calendar. */
export type Practitioner = Member & { calendars: Calendar[] };

const NOTHING: Pick<Catalogue, 'types' | 'calendars'> = { types: [], calendars: [] };

/** What the provider offers; nothing as long as it is not connected. */
export async function offerOrNothing(ctx: Context): Promise<Pick<Catalogue, 'types' | 'calendars'>> {
  try {
    return await getCatalogue(ctx);
  } catch (error) {
    if (error instanceof CarelaneError && error.code === 'integration_not_connected') return NOTHING;
    throw error;
  }
}

/** Who works here and sees patients, by name; a team fits in memory. */
export async function readCareTeam(
  { db, tenantId }: Context,
  calendars: Calendar[],
  who: { id: string } | 'active' = 'active',
): Promise<Practitioner[]> {
  const rows = await db.staffUser.findMany({
    where: { tenantId, ...(who === 'active' ? { disabledAt: null } : { id: who.id }) },
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

/** Types that any of these calendars offer, as the provider orders them. */
export const typesOf = (calendars: Calendar[], types: BookableType[]): { id: number; name: string }[] =>
  types.filter(({ id }) => calendars.some(({ typeIds }) => typeIds.includes(id))).map(({ id, name }) => ({ id, name }));
