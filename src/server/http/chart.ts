import { ExportChartInput } from '#contract/timeline.ts';
import { exportChart } from '../chart/export-chart.ts';
import type { Services } from '../core/context.ts';
import { createExportHandler } from './export-handler.ts';

/**
 * Exports one patient's full record, as a file or for the print page. The file name does not reveal the patient's name.
 */
export const createChartExportHandler = (services: Services) =>
  createExportHandler(services, {
    path: '/api/charts/export',
    input: ExportChartInput,
    read: async (ctx, input, day) => ({
      texts: await exportChart(ctx, input),
      type: 'application/json; charset=utf-8',
      name: input.format === 'json' ? `patient-${input.patient_id}-${day}.json` : null,
    }),
  });
