import { Prisma, type Tx } from '#server/core/db.ts';
import type { PatientRecord } from './present-patient.ts';

type Raw = Pick<Tx, '$queryRaw'>;
const { sql } = Prisma;

const PHONES = sql`coalesce((
  select json_agg(json_build_object('id', x.id, 'number', x.number, 'label', x.label, 'primary', x."primary",
    'active', x.active) order by x.created_at, x.id)
  from patient_phones x where x.tenant_id = p.tenant_id and x.patient_id = p.id), '[]')`;
const ADDRESSES = sql`coalesce((
  select json_agg(json_build_object('id', x.id, 'line1', x.line1, 'line2', x.line2, 'city', x.city, 'state', x.state,
    'zip', x.zip, 'country', x.country, 'label', x.label, 'primary', x."primary", 'active', x.active)
    order by x.created_at, x.id)
  from patient_addresses x where x.tenant_id = p.tenant_id and x.patient_id = p.id), '[]')`;

/** Named as in Prisma, so that one presenter reads both. */
const COLUMNS = sql`p.id, p.tenant_id as "tenantId", p.email, p.email_verified as "emailVerified",
  p.phone_number as "phoneNumber", p.phone_number_verified as "phoneNumberVerified", p.first_name as "firstName",
  p.middle_name as "middleName", p.last_name as "lastName", p.birth_date as "birthDate",
  p.administrative_gender as "administrativeGender", p.gender_identity as "genderIdentity",
  coalesce(p.races, '{}') as races, p.ethnicities, coalesce(p.tag_list, '{}') as "tagList", p.metadata,
  p.external_id as "externalId", p.time_zone as "timeZone", p.language, p.status, p.can_sign_in as "canSignIn",
  p.terms_accepted_at as "termsAcceptedAt", p.archived_at as "archivedAt", p.care_ending_at as "careEndingAt", p.created_at as "createdAt", p.updated_at as "updatedAt",
  ${PHONES} as phones, ${ADDRESSES} as addresses`;

/**
 * Selects patients (`p`) with phones and addresses in one statement. The page is limited before the joins and returned
 * as one JSON text, which halves the client's cost for fifty rows.
 */
export async function selectPatients(
  db: Raw,
  page: { where: Prisma.Sql; orderBy: Prisma.Sql; limit: number; offset?: number },
): Promise<PatientRecord[]> {
  const { where, orderBy, limit, offset = 0 } = page;
  const [answer] = await db.$queryRaw<[{ rows: string }]>`
    select coalesce(json_agg(r), '[]')::text as rows from (
      select ${COLUMNS} from (
        select * from patients p where ${where} order by ${orderBy} limit ${limit}::int offset ${offset}::int
      ) p order by ${orderBy}
    ) r`;
  return JSON.parse(answer.rows);
}

/** Counts matching patients, up to `most`. Runs only when a total is requested. */
export async function countPatients(db: Raw, where: Prisma.Sql, most?: number): Promise<number> {
  const [answer] = await db.$queryRaw<[{ count: number }]>`
    select count(*)::int as count from (select from patients p where ${where} limit ${most ?? null}::int) p`;
  return answer.count;
}
