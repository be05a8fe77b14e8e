import { ExportSubscriptionsInput } from '#contract/bulk-subscriptions.ts';
import type { Services } from '../core/context.ts';
import { exportSubscriptions } from '../subscriptions/records/export-subscriptions.ts';
import { createExportHandler } from './export-handler.ts';

/** Exports subscriptions as CSV. */
export const createSubscriptionsExportHandler = (services: Services) =>
  createExportHandler(services, {
    path: '/api/subscriptions/export',
    input: ExportSubscriptionsInput,
    read: async (ctx, input, day) => ({
      texts: await exportSubscriptions(ctx, input),
      type: 'text/csv; charset=utf-8',
      name: `subscriptions-${day}.csv`,
    }),
  });
