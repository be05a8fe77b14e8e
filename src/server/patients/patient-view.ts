import type { PatientView } from '#contract/patients.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Queryable, query, type Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import type { JsonRow } from '#server/core/json-page.ts';
import { RACE_SEPARATOR, tenantToday } from './patient.ts';

const { sql } = Prisma;
const instant = (column: Prisma.Sql) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** As `racesFromTexts`. */
const RACES = sql`case when coalesce(cardinality(p.races), 0) = 0 then '[]'::json else (
  select json_agg(row_to_json(race) order by n) from unnest(p.races) with ordinality as stored (both_levels, n),
    lateral (select split_part(both_levels, ${RACE_SEPARATOR}, 1) as level_2_display,
      nullif(split_part(both_levels, ${RACE_SEPARATOR}, 2), '') as level_3_display) race) end`;
const ADDRESSES = sql`coalesce((select json_agg(address) from (
  select x.id, x.line1, x.line2, x.city, x.state, x.zip, x.country, x.label, x."primary", x.active
  from patient_addresses x where x.tenant_id = p.tenant_id and x.patient_id = p.id
  order by x.created_at, x.id) address), '[]')`;
const PHONES = sql`coalesce((select json_agg(phone) from (
  select x.id, x.number, x.label, x."primary", x.active
  from patient_phones x where x.tenant_id = p.tenant_id and x.patient_id = p.id
  order by x.created_at, x.id) phone), '[]')`;

/** The columns of `PatientView`, in its order; `today` is the tenant's local date, for the age. */
const viewOf = (today: string) => sql`
  p.id, p.tenant_id, 'Patient' as type, p.email, p.email_verified, p.phone_number, p.phone_number_verified,
  p.first_name, p.middle_name, p.last_name, p.birth_date,
  extract(year from age(${today}::timestamp, p.birth_date::timestamp))::int as age, p.administrative_gender, p.gender_identity,
  ${RACES} as races, p.ethnicities, ${ADDRESSES} as addresses, ${PHONES} as phones,
  coalesce(p.tag_list, '{}') as tag_list, p.metadata, p.external_id, p.time_zone, p.language, p.status, p.can_sign_in,
  ${instant(sql`p.terms_accepted_at`)} as accepted_terms_of_service_at, ${instant(sql`p.archived_at`)} as archived_at,
  ${instant(sql`p.care_ending_at`)} as care_ending_at, p.merged_into, ${instant(sql`p.created_at`)} as created_at,
  ${instant(sql`p.updated_at`)} as updated_at`;

/**
 * Selects patients (`p`) as JSON in one statement; the page is limited before the joins. PostgreSQL formats the
 * representation because making objects of rows, and JSON of them, takes longer than all the rest of a list.
 */
export const selectPatientViews = (
  db: Queryable,
  today: string,
  { where, orderBy, limit, offset = 0 }: { where: Prisma.Sql; orderBy: Prisma.Sql; limit: number; offset?: number },
): Promise<JsonRow[]> =>
  query<JsonRow>(
    db,
    sql`select p.id, row_to_json(v)::text as json from (
      select * from patients p where ${where} order by ${orderBy} limit ${limit}::int offset ${offset}::int
    ) p cross join lateral (select ${viewOf(today)}) v order by ${orderBy}`,
  );

/** Returns one patient, or null. */
export async function findPatientView(
  db: Queryable,
  ctx: Context,
  id: string,
  today: string,
): Promise<PatientView | null> {
  const where = sql`p.tenant_id = ${ctx.tenantId}::uuid and p.id = ${id}::uuid`;
  const [row] = await selectPatientViews(db, today, { where, orderBy: sql`p.id`, limit: 1 });
  return row ? (JSON.parse(row.json) as PatientView) : null;
}

/** Returns a patient as the transaction sees it; `today` defaults to the tenant's date. @throws `not_found` */
export async function getPatientView(tx: Tx, ctx: Context, id: string, today?: string): Promise<PatientView> {
  const view = await findPatientView(tx, ctx, id, today ?? (await tenantToday({ ...ctx, db: tx })));
  if (!view) throw notFound('patient');
  return view;
}
