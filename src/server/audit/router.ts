import { ListAuditInput, PatientAuditInput } from '#contract/audit.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { listChartReaders } from './list-chart-readers.ts';
import { listEntries } from './list-entries.ts';

/** The portal's Audit log page, and who has seen a chart. */
export const auditRouter = router({
  list: patientData('AuditLog')
    .input(ListAuditInput)
    .query(({ ctx, input }) => listEntries(ctx, input)),
  forPatient: patientData('AuditLog')
    .input(PatientAuditInput)
    .query(({ ctx, input }) => listChartReaders(ctx, input)),
});
