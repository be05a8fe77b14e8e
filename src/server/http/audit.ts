import { ExportAuditInput } from '#contract/audit.ts';
import { exportEntries } from '../audit/export-entries.ts';
import type { Services } from '../core/context.ts';
import { createExportHandler } from './export-handler.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

/** Exports the audit log as a file. */
export const createAuditExportHandler = (services: Services) =>
  createExportHandler(services, {
    path: '/api/audit/export',
    input: ExportAuditInput,
    read: async (ctx, input, day) => ({
      texts: await exportEntries(ctx, input),
      type: TYPES[input.format],
      name: `audit-log-${day}.${input.format}`,
    }),
  });
