import type { Page } from '#contract/conventions.ts';
import { type ListPatientsInput, PatientStatus, type PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { checkPaging, pageSize, toPage } from '#server/core/paging.ts';
import { filterPatients } from './filter-patients.ts';
import { countPatients, selectPatients } from './list-patients-query.ts';
import { presentPatient } from './present-patient.ts';
import { sortPatients } from './sort-patients.ts';
import { tenantToday } from './tenant-today.ts';

/** The tenant's patients, newest first unless `sort_by` says otherwise; archived ones only when `by_status` asks. */
export async function listPatients(ctx: Context, input: ListPatientsInput): Promise<Page<PatientView>> {
  requireScope(ctx.actor, 'patients:read', { patients: false });
  checkPaging(input);
  checkStatuses(input);
  const today = await tenantToday(ctx);
  const where = filterPatients(ctx.tenantId, input, today);
  const size = pageSize(input);
  const present = (patient: Parameters<typeof presentPatient>[0]) => presentPatient(patient, today);

  const cursor = input.starting_after ?? input.ending_before;
  if (cursor !== undefined && !isId(cursor)) throw unknownCursor(input);
  const { orderBy, after } = sortPatients(
    input.sort_by,
    input.ending_before !== undefined,
    cursor === undefined ? null : { tenantId: ctx.tenantId, id: cursor },
  );
  if (input.page !== undefined) {
    const offset = (input.page - 1) * size;
    const [rows, count] = await Promise.all([
      selectPatients(ctx.db, { where, orderBy, limit: size, offset }),
      countPatients(ctx.db, where),
    ]);
    const pages = Math.max(1, Math.ceil(count / size));
    return { ...toPage(rows, input, present), totals: { count, pages, page: input.page } };
  }
  const rows = await selectPatients(ctx.db, {
    where: after ? Prisma.sql`${where} and ${after}` : where,
    orderBy,
    limit: size + 1,
  });
  // A cursor that names nothing compares as unknown and finds nothing: only then is it worth a look.
  if (rows.length === 0 && cursor !== undefined && !(await exists(ctx, cursor))) throw unknownCursor(input);
  return toPage(rows, input, present);
}

const exists = (ctx: Context, id: string) =>
  ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, id }, select: { id: true } });

const unknownCursor = (input: ListPatientsInput) =>
  refuse('invalid_parameter', 'The cursor names no patient.', {
    source: { parameter: input.starting_after === undefined ? 'ending_before' : 'starting_after' },
  });

function checkStatuses(input: ListPatientsInput): void {
  const wrong = input.by_status?.flat().find((status) => !PatientStatus.safeParse(status).success);
  if (wrong !== undefined)
    throw refuse('invalid_parameter', `"by_status" takes ${PatientStatus.options.join(', ')}.`, {
      source: { parameter: 'by_status' },
    });
}
