import type { ReportTestInput, TryLineInput, VisitTestPage, VisitTestResult } from '#contract/visit-test.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { record } from '#server/core/record.ts';
import { iceServers } from './ice-servers.ts';
import { openVisit } from './open-visit.ts';

/** A test takes about half a minute. */
const CREDENTIALS_LAST_MS = 5 * MINUTE;

/**
 * Returns the page where a patient tests camera, microphone and connection before the appointment.
 *
 * @throws 404, rate_limited.
 */
export async function openTest(ctx: Context, { token }: { token: string }): Promise<VisitTestPage> {
  const visit = await openVisit(ctx, { token });
  assertRateLimit(ctx, { name: 'visit_tests', key: [token] });
  const now = ctx.clock.now();
  const isTestable = visit.status === 'scheduled' && Date.parse(visit.to_date) > now.getTime();
  return { ...visit, ice_servers: isTestable ? iceServers(ctx, newId(now), CREDENTIALS_LAST_MS) : [] };
}

/**
 * Returns the bytes that were sent, for the page to measure. Reads no appointment.
 *
 * @throws rate_limited.
 */
export async function tryLine(ctx: Context, { token, piece }: TryLineInput): Promise<{ piece: string }> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A line is tried from a link.');
  assertRateLimit(ctx, { name: 'visit_test_pieces', key: [token] });
  return { piece };
}

/**
 * Stores the result of the test for staff users, replacing an earlier one.
 *
 * @throws 404 for an appointment that is over or canceled; rate_limited.
 */
export async function reportTest(ctx: Context, { token, ...result }: ReportTestInput): Promise<void> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A test is reported from its link.');
  assertRateLimit(ctx, { name: 'visit_test_reports', key: [token] });
  const now = ctx.clock.now();
  const test: VisitTestResult = { at: now.toISOString(), ...result };
  await ctx.db.$transaction(async (tx) => {
    // `updatedAt` stays: the appointment itself does not change.
    const [row] = await tx.$queryRaw<{ id: string; patient_id: string }[]>`
      update appointments set video_test = ${JSON.stringify(test)}::jsonb
      where tenant_id = ${ctx.tenantId}::uuid and video_token = ${token} and status = 'scheduled' and end_at > ${now}
      returning id::text, patient_id::text`;
    if (!row) throw notFound('visit');
    await record(tx, ctx, {
      action: 'visits.report_test',
      object: { type: 'Appointment', id: row.id },
      patientId: row.patient_id,
      details: result,
    });
  });
}
