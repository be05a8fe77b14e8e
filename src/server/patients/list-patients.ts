import type { Page } from '#contract/conventions.ts';
import type { ListPatientsInput } from '#contract/list-patients.ts';
import { PatientStatus, type PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { filterPatients } from './filter-patients.ts';
import { countPatients, selectPatients } from './list-patients-query.ts';
import { presentPatient } from './present-patient.ts';
import { sortPatients } from './sort-patients.ts';
import { tenantToday } from './tenant-today.ts';

/**
 * Lists the tenant's patients, newest first unless `sort_by` is set; archived ones only when `by_status` includes them.
 */
export async function listPatients(ctx: Context, input: ListPatientsInput): Promise<Page<PatientView>> {
  requireScope(ctx.actor, 'patients:read', { patients: false });
  checkStatuses(input);
  const { tenantId } = ctx;
  const today = await tenantToday(ctx);
  const where = filterPatients(tenantId, input, today);
  return readPage(
    input,
    {
      what: 'patient',
      keyOf: (id) => (isId(id) ? id : null),
      // An unknown cursor compares as null and matches nothing; existence is checked only for an empty page.
      isThere: async (id) =>
        (await ctx.db.patient.findFirst({ where: { tenantId, id }, select: { id: true } })) !== null,
      read({ backwards, limit, offset, beyond }) {
        const { orderBy, after } = sortPatients(
          input.sort_by,
          backwards,
          beyond === null ? null : { tenantId, id: beyond },
        );
        return selectPatients(ctx.db, {
          where: after ? Prisma.sql`${where} and ${after}` : where,
          orderBy,
          limit,
          offset,
        });
      },
      count: (most) => countPatients(ctx.db, where, most),
    },
    (patient) => presentPatient(patient, today),
  );
}

function checkStatuses(input: ListPatientsInput): void {
  const wrong = input.by_status?.flat().find((status) => !PatientStatus.safeParse(status).success);
  if (wrong !== undefined)
    throw refuse('invalid_parameter', `"by_status" takes ${PatientStatus.options.join(', ')}.`, {
      people: 'Choose one of the given states.',
      source: { parameter: 'by_status' },
    });
}
