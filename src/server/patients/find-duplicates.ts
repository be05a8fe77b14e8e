import type { DuplicatePatient, FindDuplicatesInput } from '#contract/duplicate-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query } from '#server/core/db.ts';
import { parsePhoneNumber } from './nested-rows.ts';
import { tenantToday } from './patient.ts';
import { selectPatientViews } from './patient-view.ts';
import { fold } from './search-text.ts';

const { sql } = Prisma;
const MAX_DUPLICATES = 5;

type Match = { id: string; email: boolean; phone_number: boolean; birth_date: boolean };

/**
 * Finds patients on record who may be the one to be added: of the same email or phone number, or born on the same day with a
 * similar name. Also archived ones. For staff who add a patient: a sign-up and the API must not reveal who is on record.
 */
export async function findDuplicates(ctx: Context, input: FindDuplicatesInput): Promise<DuplicatePatient[]> {
  requireStaff(ctx.actor, 'patients:write');
  const { db, tenantId } = ctx;
  const email = input.email?.trim().toLowerCase() || null;
  const phone = input.phone_number ? parsePhoneNumber(input.phone_number) : null;
  const names = [input.first_name, input.last_name]
    .flatMap((name) => fold(name ?? '').split(/[\s,-]+/))
    .filter(Boolean);
  const birthDate = names.length > 0 ? (input.birth_date ?? null) : null;
  if (!email && !phone && !birthDate) return [];
  const matches = await query<Match>(
    db,
    sql`select coalesce(p.merged_into, p.id) as id, coalesce(p.email = ${email}, false) as email,
        exists (select from patient_phones h where h.tenant_id = p.tenant_id and h.patient_id = p.id and h.number = ${phone})
          as phone_number, coalesce(p.birth_date = ${birthDate}::date, false) as birth_date
      from patients p
      where p.tenant_id = ${tenantId}::uuid and (p.email = ${email}
        or p.id in (select h.patient_id from patient_phones h where h.tenant_id = ${tenantId}::uuid and h.number = ${phone})
        or (p.birth_date = ${birthDate}::date and exists (
          select from unnest(string_to_array(translate(p.sort_name, e'\\x01-', '  '), ' ')) part, unnest(${names}::text[]) name
          where levenshtein_less_equal(left(part, 60), left(name, 60), 2) <= case
            when length(name) < 3 then 0 when length(name) < 7 then 1 else 2 end)))
      order by p.created_at, p.id limit ${MAX_DUPLICATES}::int`,
  );
  // A record that was merged into a patient's stands for the patient.
  const sameOf = (id: string) =>
    (['email', 'phone_number', 'birth_date'] as const).filter((field) =>
      matches.some((match) => match.id === id && match[field]),
    );
  const rows = await selectPatientViews(db, await tenantToday(ctx), {
    where: sql`p.tenant_id = ${tenantId}::uuid and p.id = any(${matches.map(({ id }) => id)}::uuid[])`,
    orderBy: sql`p.created_at, p.id`,
    limit: MAX_DUPLICATES,
  });
  return rows.map(({ id, json }) => ({ ...(JSON.parse(json) as PatientView), same: sameOf(id) }));
}
