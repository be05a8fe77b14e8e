import { ListAuditInput, PatientAuditInput } from '#contract/audit.ts';
import { NoInput } from '#contract/patients.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { getAuditChain, requestAuditCheck } from './check-audit.ts';
import { listChartReaders } from './list-chart-readers.ts';
import { listEntries } from './list-entries.ts';

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
