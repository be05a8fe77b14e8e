import type { z } from 'zod';
import { ExportAuditInput } from '#contract/audit.ts';
import { ExportAppointmentsInput } from '#contract/scheduling.ts';
import { ExportSubscriptionsInput } from '#contract/subscriptions.ts';
import { ExportChartInput } from '#contract/timeline.ts';
import { exportEntries } from '#server/audit/index.ts';
import { exportChart } from '#server/chart/index.ts';
import { type Context, contextFor, type Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { exportAppointments } from '../scheduling/index.ts';
import { exportSubscriptions } from '../subscriptions/index.ts';
import { assertMethod, createHandler } from './create-handler.ts';
import type { Handler, StreamResponse } from './handler.ts';
import { authenticateStaff, headersOnlyRequest } from './trpc-handler.ts';

/** An export for staff; its text is produced as it is sent. */
type File = { texts: AsyncIterable<string>; type: string; name: string | null };
type ExportOptions<Schema extends z.ZodType> = {
  path: string;
  input: Schema;
  /** `day` is today, for the file name. A file without a name is displayed, not saved. */
  read(ctx: Context, input: z.infer<Schema>, day: string): Promise<File>;
};

function asStream(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = texts[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}

/** Handles an export for a staff session. The response streams because it may be long; no cache stores it. */
function createExportHandler<Schema extends z.ZodType>(
  services: Services,
  { path, input, read }: ExportOptions<Schema>,
): Handler<StreamResponse> {
  return createHandler(services, {
    name: 'export',
    async handle(request, { requestId }) {
      if (request.path !== path) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
      assertMethod(request.method, ['GET']);
      // Another site could trigger the request, though not read the response; but every export adds an audit entry.
      if (/^(cross-site|same-site)$/.test(request.header('sec-fetch-site') ?? ''))
        throw apiError('forbidden', 'The export is asked for from the portal itself only.');
      const { actor } = await authenticateStaff(services, headersOnlyRequest(services, request));
      const query = Object.fromEntries(request.query);
      const { data, error } = input.safeParse(query);
      if (error) throw new CarelaneError(fieldErrors(error, new Set(Object.keys(query)), query));
      const userAgent = request.header('user-agent');
      const ctx = contextFor(services, actor, { requestId, ip: request.ip, userAgent });
      const { texts, type, name } = await read(ctx, data, services.clock.now().toISOString().slice(0, 10));
      return {
        status: 200,
        headers: {
          'content-type': type,
          ...(name !== null && { 'content-disposition': `attachment; filename="${name}"` }),
        },
        body: asStream(texts),
      };
    },
  });
}

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

const AUDIT_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

/** Exports the audit log as a file. */
export const createAuditExportHandler = (services: Services) =>
  createExportHandler(services, {
    path: '/api/audit/export',
    input: ExportAuditInput,
    read: async (ctx, input, day) => ({
      texts: await exportEntries(ctx, input),
      type: AUDIT_TYPES[input.format],
      name: `audit-log-${day}.${input.format}`,
    }),
  });

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
