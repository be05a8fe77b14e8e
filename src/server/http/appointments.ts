import { ExportAppointmentsInput } from '#contract/export-appointments.ts';
import type { Services } from '../core/context.ts';
import { exportAppointments } from '../scheduling/appointments/export-appointments.ts';
import { createExportHandler } from './export-handler.ts';

/** Exports appointments as CSV. */
export const createAppointmentsExportHandler = (services: Services) =>
  createExportHandler(services, {
    path: '/api/appointments/export',
    input: ExportAppointmentsInput,
    read: async (ctx, input, day) => ({
      texts: await exportAppointments(ctx, input),
      type: 'text/csv; charset=utf-8',
      name: `appointments-${day}.csv`,
    }),
  });
