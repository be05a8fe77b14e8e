import type { PractitionerView } from '#contract/practitioners.ts';
import type { Context } from '#server/core/context.ts';
import type { BookableType } from '../catalogue/catalogue.ts';
import { type Practitioner, typesOf } from './care-team.ts';

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
