import { LINE_QUALITIES, type ReportCallInput } from '#contract/visit-call.ts';
import type { Services } from '#server/core/context.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import type { SeatHolder } from './find-seat.ts';

/**
 * Stores a seat's report on devices and connection; keeps both the last and the worst quality. A report for a vacated
 * seat is ignored without an error.
 *
 * @throws 429.
 */
export async function reportCall(services: Services, seat: SeatHolder, report: ReportCallInput): Promise<void> {
  assertRateLimit(services, { name: 'visit_reports', key: [seat.id] });
  const { tenantId, id, appointmentId } = seat;
  const { devices = null, path = null, media = null, quality = null } = report;
  const order = [...LINE_QUALITIES];
  const count = await services.database.forTenant(tenantId).$executeRaw`
    update visit_seats set
      devices = coalesce(${devices}::text, devices), path = coalesce(${path}::text, path),
      media = coalesce(${media}::text, media), quality = coalesce(${quality}::text, quality),
      worst_quality = (${order}::text[])[greatest(
        array_position(${order}::text[], worst_quality), array_position(${order}::text[], ${quality}::text))]
    where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and left_at is null`;
  if (count > 0) services.calls.notify(tenantId, appointmentId);
}
