import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { type Db, Prisma } from '#server/core/db.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { purgeFailedJobs } from '#server/core/jobs.ts';
import { FAILURE_POLICY } from '#server/core/rate-limits.ts';

/** How long an ended session is shown on its patient's page. */
const SESSION_RETENTION = 90 * DAY;
/** How long a payment link is shown on its patient's page; its token is deleted when it expires. */
const LINK_RETENTION = 90 * DAY;
/** An undo checks whether an earlier change was undone, which may have been up to this long before. */
const CHANGE_RETENTION = 7 * DAY;
/** A provider repeats a webhook for days, and its id must be known until then. */
const WEBHOOK_RETENTION = 30 * DAY;
/** How long corrections of lost webhooks are shown. */
const REPAIR_RETENTION = 90 * DAY;
/** How long a booking at the provider without a patient here is stored after the appointment. */
const UNMATCHED_RETENTION = 30 * DAY;

/** How long an unconfirmed sign-up can still be confirmed by a new code. */
const SIGN_UP_RETENTION = 90 * DAY;
/** How long successful deliveries and all receivers' responses are stored; failed deliveries are shown for longer. */
const DELIVERY_RETENTION = 30 * DAY;
const PARKED_RETENTION = 90 * DAY;
/** Statistics of webhook deliveries are shown for a day. */
const HEALTH_RETENTION = 2 * DAY;
/** Staff may still want to retry a failed job. */
const FAILED_JOB_RETENTION = 90 * DAY;
/** How long an unfinished note waits for its author. */
const DRAFT_RETENTION = 30 * DAY;
/** Call signals are read within seconds, or never. */
const SIGNAL_RETENTION = 5 * MINUTE;
/** Rows per statement, so that no statement holds many locks or runs for long. */
const BATCH = 1000;

/** Deletes up to `limit` expired rows. */
type Deletion = (limit: number) => Promise<{ count: number }>;

/**
 * Deletes expired rows: codes and sign-in steps, counters, sessions with their refresh tokens, stored responses of
 * POSTs, links, unconfirmed sign-ups, temporary passwords, failed jobs, drafts of notes and past rows of the providers' mirrors. None of
 * these are read any more, so a late, repeated, partial or missing run changes no response. It never touches the audit
 * log and the events. An error of one tenant is logged and does not affect others; the next run retries.
 */
export async function purgeExpired({ database, clock, log }: Services): Promise<void> {
  const now = clock.now().getTime();
  let purged = 0;
  // Counters of the portal belong to no single clinic, so they have no tenant.
  for (const tenantId of [...(await database.tenantsOf('tenants')), NO_TENANT]) {
    try {
      for (const deletion of deletionsFor(database.forTenant(tenantId), tenantId, now))
        purged += await deleteAll(deletion);
    } catch (error) {
      log.error({ tenantId, err: (error as Error).message }, 'expired rows of a tenant not deleted');
    }
  }
  const staleProcesses = { where: { seenAt: { lt: new Date(now - DAY) } } };
  purged += (await database.system.callingProcess.deleteMany(staleProcesses)).count;
  const failedBefore = new Date(now - FAILED_JOB_RETENTION);
  purged += await deleteAll(async (limit) => ({ count: await purgeFailedJobs(database.system, failedBefore, limit) }));
  if (purged > 0) log.info({ rows: purged }, 'expired rows deleted');
}

async function deleteAll(deletion: Deletion): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) ({ count } = await deletion(BATCH));
  return total;
}

function deletionsFor(db: Db, tenantId: string, now: number): Deletion[] {
  const ago = (span: number) => new Date(now - span);
  const yesterday = { lt: ago(DAY) };
  const beyondRetention = { lt: ago(SESSION_RETENTION) };
  // A local day two days before today in UTC has ended everywhere.
  const lastDay = ago(2 * DAY)
    .toISOString()
    .slice(0, 10);
  // Availability that old is never shown. A row that was announced and never loaded has the epoch as its time, and
  // stays.
  const oldDay = { fetchedAt: { gt: new Date(0), lt: ago(2 * DAY) } };
  const expiredPassword = { tenantId, temporaryUntil: { lt: ago(0) }, invitation: { not: null } };
  const expiredLink = { tenantId, expiresAt: { lt: ago(0) }, token: { not: null } };
  // A page that left the call may still request the state of its seat.
  const leftSeat = { tenantId, leftAt: yesterday, keyHash: { not: null } };
  // A lockout stays until the account's owner lifts it.
  const endedRow = { tenantId, failedAt: { lt: ago(FAILURE_POLICY.rowRetention) }, inRow: true, closedAt: null };
  const oldResponse = { tenantId, answer: { not: null }, lastTriedAt: { lt: ago(DELIVERY_RETENTION) } };
  const arrived = { tenantId, state: { in: ['delivered', 'recovered'] }, endedAt: { lt: ago(DELIVERY_RETENTION) } };
  const parked = { tenantId, state: 'parked', endedAt: { lt: ago(PARKED_RETENTION) } };
  const ended = { tenantId, OR: [{ endedAt: beyondRetention }, { expiresAt: beyondRetention }] };
  return [
    (limit) => db.oneTimeCode.deleteMany({ where: { tenantId, expiresAt: yesterday }, limit }),
    (limit) => db.signUpAttempt.deleteMany({ where: { tenantId, askedAt: { lt: ago(SIGN_UP_RETENTION) } }, limit }),
    (limit) => db.patientSignIn.updateMany({ where: expiredPassword, data: { invitation: null }, limit }),
    (limit) => db.signInStep.deleteMany({ where: { tenantId, expiresAt: { lt: ago(0) } }, limit }),
    (limit) => db.codeSend.deleteMany({ where: { tenantId, sentAt: yesterday }, limit }),
    (limit) => db.signInFailure.deleteMany({ where: { tenantId, failedAt: yesterday, inRow: false }, limit }),
    (limit) => db.signInFailure.deleteMany({ where: endedRow, limit }),
    (limit) => db.knownDevice.deleteMany({ where: { tenantId, expiresAt: yesterday }, limit }),
    (limit) => db.addressChange.deleteMany({ where: { tenantId, expiresAt: { lt: ago(CHANGE_RETENTION) } }, limit }),
    (limit) => db.askedEmailChange.deleteMany({ where: { tenantId, expiresAt: { lt: ago(CHANGE_RETENTION) } }, limit }),
    (limit) => db.refreshToken.deleteMany({ where: { tenantId, session: { expiresAt: yesterday } }, limit }),
    (limit) => db.patientSession.deleteMany({ where: ended, limit }),
    (limit) => db.staffSession.deleteMany({ where: { tenantId, createdAt: beyondRetention }, limit }),
    (limit) => db.staffLink.deleteMany({ where: { tenantId, purpose: 'reset', expiresAt: yesterday }, limit }),
    (limit) => db.idempotencyKey.deleteMany({ where: { tenantId, createdAt: { lte: ago(DAY) } }, limit }),
    (limit) => db.checkoutLink.updateMany({ where: expiredLink, data: { token: null }, limit }),
    (limit) => db.manageLink.updateMany({ where: expiredLink, data: { token: null }, limit }),
    (limit) => db.manageLink.deleteMany({ where: { tenantId, expiresAt: { lt: ago(LINK_RETENTION) } }, limit }),
    (limit) => db.checkoutLink.deleteMany({ where: { tenantId, expiresAt: { lt: ago(LINK_RETENTION) } }, limit }),
    (limit) => db.inboundEvent.deleteMany({ where: { tenantId, processedAt: { lt: ago(WEBHOOK_RETENTION) } }, limit }),
    (limit) => db.stripeRepair.deleteMany({ where: { tenantId, createdAt: { lt: ago(REPAIR_RETENTION) } }, limit }),
    (limit) => db.schedulingRepair.deleteMany({ where: { tenantId, createdAt: { lt: ago(REPAIR_RETENTION) } }, limit }),
    (limit) =>
      db.unmatchedAppointment.deleteMany({ where: { tenantId, endAt: { lt: ago(UNMATCHED_RETENTION) } }, limit }),
    (limit) => db.noteDraft.deleteMany({ where: { tenantId, updatedAt: { lt: ago(DRAFT_RETENTION) } }, limit }),
    (limit) => db.visitSignal.deleteMany({ where: { tenantId, createdAt: { lt: ago(SIGNAL_RETENTION) } }, limit }),
    (limit) => db.visitSeat.updateMany({ where: leftSeat, data: { keyHash: null, holdHash: null }, limit }),
    (limit) => db.slotClaim.deleteMany({ where: { tenantId, endAt: { lt: ago(0) } }, limit }),
    (limit) =>
      db.webhookDelivery.updateMany({ where: oldResponse, data: { answer: null, sent: Prisma.DbNull }, limit }),
    (limit) => db.webhookHour.deleteMany({ where: { tenantId, hour: { lt: ago(HEALTH_RETENTION) } }, limit }),
    (limit) => db.webhookDelivery.deleteMany({ where: arrived, limit }),
    (limit) => db.webhookDelivery.deleteMany({ where: parked, limit }),
    (limit) => db.availabilityDay.deleteMany({ where: { tenantId, OR: [{ day: { lt: lastDay } }, oldDay] }, limit }),
  ];
}
