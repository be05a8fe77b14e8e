import { type ChartReaderView, ListAuditInput, PatientAuditInput } from '#contract/audit.ts';
import { currentAction } from '#contract/audit-actions.ts';
import { NoInput } from '#contract/patients.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { findNames, presentActor } from './actor-names.ts';
import { getAuditChain, requestAuditCheck } from './check-audit.ts';
import { isAboutPatient } from './find-entries.ts';
import { listEntries } from './list-entries.ts';

/** Maximum number of actors returned; more do not occur for one patient. */
const MAX_ACTORS = 200;

type Row = {
  actorType: string;
  actorId: string;
  times: number;
  inLists: number;
  refused: number;
  firstAt: Date;
  lastAt: Date;
  actions: string[];
};

/**
 * Lists the actors who read or changed a patient's record or were denied access, the latest first. Excludes the
 * system's own actions. Admins only.
 *
 * @throws not_found.
 */
async function listChartReaders(ctx: Context, { patient_id }: PatientAuditInput): Promise<ChartReaderView[]> {
  requireAdmin(ctx.actor, 'audit:read');
  const { db, tenantId } = ctx;
  const patient = await db.patient.findFirst({ where: { tenantId, id: patient_id }, select: { id: true } });
  if (!patient) throw notFound('patient');
  const rows = await db.$queryRaw<Row[]>`
    select actor_type as "actorType", actor_id as "actorId",
      (count(*) filter (where outcome is null))::int as times,
      (count(*) filter (where outcome is null and patient_ids is not null))::int as "inLists",
      (count(*) filter (where outcome is not null))::int as refused,
      min(created_at) as "firstAt", max(created_at) as "lastAt", array_agg(distinct action) as actions
    from audit_entries
    where tenant_id = ${tenantId}::uuid and ${isAboutPatient(patient_id)} and actor_type <> 'System'
    group by 1, 2 order by max(created_at) desc, 2 limit ${MAX_ACTORS}::int`;
  const names = await findNames(ctx, rows);
  return rows.map((row) => ({
    id: `${row.actorType}:${row.actorId}`,
    actor: presentActor(row, names),
    times: row.times,
    in_lists: row.inLists,
    refused: row.refused,
    first_at: row.firstAt.toISOString(),
    last_at: row.lastAt.toISOString(),
    actions: [...new Set(row.actions.map(currentAction))].sort(),
  }));
}

/** The portal's Audit log page, the check of the log, and the readers of a chart. */
export const auditRouter = router({
  list: patientData('AuditLog')
    .input(ListAuditInput)
    .query(({ ctx, input }) => listEntries(ctx, input)),
  forPatient: patientData('AuditLog', { action: 'audit.list_readers' })
    .input(PatientAuditInput)
    .query(({ ctx, input }) => listChartReaders(ctx, input)),
  chain: noPatient.input(NoInput.optional()).query(({ ctx }) => getAuditChain(ctx)),
  check: noPatient.input(NoInput.optional()).mutation(({ ctx }) => requestAuditCheck(ctx)),
});
