import { AppointmentFlagsInput } from '#contract/appointment-flags.ts';
import { type ArchivedPatientView, ArchivePatientInput, type CareView } from '#contract/care.ts';
import { MergePatientsInput, PreviewMergeInput } from '#contract/merge-patients.ts';
import { PatientIdInput } from '#contract/patients.ts';
import { requireScope, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { patientData, router } from '#server/core/trpc.ts';
import {
  archivePatient,
  endPendingSignIns,
  getPatientView,
  loadPatientFor,
  lockPatient,
  queueEndOfCare,
  tenantToday,
} from '#server/patients/index.ts';
import { markEnding, presentEnding } from './ending.ts';
import { listAppointmentFlags } from './list-appointment-flags.ts';
import { countsOf, describeLive, type Live, listLive, presentLive } from './list-live.ts';
import { mergePatients } from './merge-patients.ts';
import { previewMerge } from './preview-merge.ts';

/**
 * Archives a patient with nothing live. With `end_care`, anything live is ended first: nothing new can start from then
 * on, and a job ends the rest at the providers and archives the patient once they have confirmed. Until then
 * `care_ending` shows the progress, and a repeated request continues immediately.
 * @throws `conflict` (409) with `meta.live` when anything is live and `end_care` is not set
 */
export async function archive(ctx: Context, { id, end_care }: ArchivePatientInput): Promise<ArchivedPatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  if (end_care)
    for (const scope of ['appointments:write', 'subscriptions:write'] as const)
      requireScope(ctx.actor, scope, { patients: false });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, id);
    const live = await listLive(tx, ctx, id);
    if (!live) return { ...(await archivePatient(tx, ctx, id)), care_ending: null };
    if (!end_care && !patient.careEndingAt) throw stillLiveError(live);
    if (!patient.careEndingAt && countsOf(live).subscriptions > 0)
      requireScope(ctx.actor, 'subscriptions:write', { patients: false, staff: 'subscriptions:cancel' });
    await beginEnding(tx, ctx, id);
    const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
    const ending = presentEnding(await tx.patient.findUniqueOrThrow({ where }));
    if (!ending) throw new Error('the end of care was not stored');
    const view = await getPatientView(tx, ctx, id, today);
    await record(tx, ctx, {
      action: 'patients.end_care',
      object: { type: 'Patient', id },
      patientId: id,
      details: countsOf(live),
      ...(!patient.careEndingAt && { event: 'patient.updated', payload: view }),
    });
    return { ...view, care_ending: { ...ending, live: presentLive(live) } };
  });
}

/** Prevents anything new for the patient; the job ends what has started. */
async function beginEnding(tx: Tx, ctx: Context, id: string): Promise<void> {
  const { tenantId } = ctx;
  await markEnding(tx, ctx, id);
  await tx.checkoutLink.updateMany({
    where: { tenantId, patientId: id, endedAt: null, completedAt: null },
    data: { endedAt: ctx.clock.now(), token: null },
  });
  await tx.manageLink.updateMany({
    where: { tenantId, patientId: id, endedAt: null },
    data: { endedAt: ctx.clock.now(), token: null },
  });
  await endPendingSignIns(tx, ctx, id);
  await queueEndOfCare(tx, ctx, id);
}

function stillLiveError(live: Live): CarelaneError {
  const { visits, subscriptions } = countsOf(live);
  const describeCount = (count: number, noun: string) =>
    count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`];
  const items = [...describeCount(visits, 'appointment'), ...describeCount(subscriptions, 'subscription')].join(
    ' and ',
  );
  return apiError(
    'conflict',
    `This patient still has ${items}. Set end_care=true in the query to end them and archive the patient.`,
    {
      people: `This patient still has ${items}. Look at what would end, then archive them.`,
      meta: { live: presentLive(live) },
    },
  );
}

/** For the portal: returns what archiving a patient would end, or the progress of an end of care. */
async function getCare(ctx: Context, { id }: { id: string }): Promise<CareView> {
  requireStaff(ctx.actor, 'patients:read');
  const patient = await loadPatientFor(ctx, id);
  const live = await listLive(ctx.db, ctx, id);
  return {
    ending: presentEnding(patient),
    ...describeLive(live ?? { appointments: [], subscriptions: [], intents: [] }),
  };
}

/** Procedures for archiving and merging patients; part of the procedures of patients. */
export const careRouter = router({
  archive: patientData('Patient')
    .input(ArchivePatientInput)
    .mutation(({ ctx, input }) => archive(ctx, input)),
  care: patientData('Patient', { action: 'patients.preview_archive' })
    .input(PatientIdInput)
    .query(({ ctx, input }) => getCare(ctx, input)),
  previewMerge: patientData('Patient')
    .input(PreviewMergeInput)
    .query(({ ctx, input }) => previewMerge(ctx, input)),
  merge: patientData('Patient')
    .input(MergePatientsInput)
    .mutation(({ ctx, input }) => mergePatients(ctx, input)),
});

/** Procedures that read appointments together with subscriptions; part of the procedures of appointments. */
export const appointmentFlagsRouter = router({
  flags: patientData('Appointment', { action: 'appointments.list' })
    .input(AppointmentFlagsInput)
    .query(({ ctx, input }) => listAppointmentFlags(ctx, input)),
});
