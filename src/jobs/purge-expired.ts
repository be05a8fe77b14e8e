import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { type Db, Prisma } from '#server/core/db.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { purgeFailedJobs } from '#server/core/jobs.ts';
import { ROW_RETENTION } from '#server/identity/verification/lockout/lockout.ts';

/** How long an ended session is shown on its patient's page. */
const SESSIONS_KEPT = 90 * DAY;
/** How long a payment link is shown on its patient's page; its token is deleted when it expires. */
const LINKS_KEPT = 90 * DAY;
/** An undo checks whether an earlier change was undone, which may have been up to this long before. */
const CHANGES_KEPT = 7 * DAY;
/** A provider repeats a webhook for days, and its id must be known until then. */
const WEBHOOKS_KEPT = 30 * DAY;
/** How long corrections of lost webhooks are shown. */
const REPAIRS_KEPT = 90 * DAY;
/** How long a booking at the provider without a patient here is stored after the appointment. */
const UNMATCHED_KEPT = 30 * DAY;

/** How long an unconfirmed sign-up can still be confirmed by a new code. */
const SIGN_UPS_KEPT = 90 * DAY;
/** How long successful deliveries and all receivers' responses are stored; failed deliveries are shown for longer. */
const DELIVERIES_KEPT = 30 * DAY;
const PARKED_KEPT = 90 * DAY;
/** Statistics of webhook deliveries are shown for a day. */
const HEALTH_KEPT = 2 * DAY;
/** Staff may still want to retry a failed job. */
const FAILED_JOBS_KEPT = 90 * DAY;
/** Call signals are read within seconds, or never. */
const SIGNALS_KEPT = 5 * MINUTE;
/** Rows per statement, so that no statement holds many locks or runs for long. */
const BATCH = 1000;

/** Deletes up to `limit` expired rows. */
type Deletion = (limit: number) => Promise<{ count: number }>;

/**
 * Deletes expired rows: codes and sign-in steps, counters, sessions with their refresh tokens, stored responses of
 * POSTs, links, unconfirmed sign-ups, temporary passwords, failed jobs and past rows of the providers' mirrors. None of
 * these are read any more, so a late, repeated, partial or missing run changes no response. It never touches the audit
 * log and the events. An error of one tenant is logged and does not affect others; the next run retries.
 */
export async function purgeExpired({ database, clock, log }: Services): Promise<void> {
  const now = clock.now().getTime();
  let forgotten = 0;
  // Counters of the portal belong to no single clinic, so they have no tenant.
  for (const tenantId of [...(await database.tenantsOf('tenants')), NO_TENANT]) {
    try {
      for (const deletion of deletionsFor(database.forTenant(tenantId), tenantId, now))
        forgotten += await all(deletion);
    } catch (error) {
      log.error({ tenantId, err: (error as Error).message }, 'expired rows of a tenant not deleted');
    }
  }
  const gone = { where: { seenAt: { lt: new Date(now - DAY) } } };
  forgotten += (await database.system.callingProcess.deleteMany(gone)).count;
  const longFailed = new Date(now - FAILED_JOBS_KEPT);
  forgotten += await all(async (limit) => ({ count: await purgeFailedJobs(database.system, longFailed, limit) }));
  if (forgotten > 0) log.info({ rows: forgotten }, 'expired rows deleted');
}

async function all(deletion: Deletion): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) ({ count } = await deletion(BATCH));
  return total;
}

function deletionsFor(db: Db, tenantId: string, now: number): Deletion[] {
  const ago = (span: number) => new Date(now - span);
  const yesterday = { lt: ago(DAY) };
  const longOver = { lt: ago(SESSIONS_KEPT) };
  // A local day two days before today in UTC has ended everywhere.
  const lastDay = ago(2 * DAY)
    .toISOString()
    .slice(0, 10);
  // Availability that old is never shown. A row that was announced and never loaded has the epoch as its time, and
  // stays.
  const oldDay = { fetchedAt: { gt: new Date(0), lt: ago(2 * DAY) } };
  const deadPassword = { tenantId, temporaryUntil: { lt: ago(0) }, invitation: { not: null } };
  const deadLink = { tenantId, expiresAt: { lt: ago(0) }, token: { not: null } };
  // A page that left the call may still request the state of its seat.
  const deadSeat = { tenantId, leftAt: yesterday, keyHash: { not: null } };
  // A lockout stays until the account's owner lifts it.
  const endedRow = { tenantId, failedAt: { lt: ago(ROW_RETENTION) }, inRow: true, closedAt: null };
  const oldAnswer = { tenantId, answer: { not: null }, lastTriedAt: { lt: ago(DELIVERIES_KEPT) } };
  const arrived = { tenantId, state: { in: ['delivered', 'recovered'] }, endedAt: { lt: ago(DELIVERIES_KEPT) } };
  const givenUp = { tenantId, state: 'parked', endedAt: { lt: ago(PARKED_KEPT) } };
  const ended = { tenantId, OR: [{ endedAt: longOver }, { expiresAt: longOver }] };
  return [
    (limit) => db.oneTimeCode.deleteMany({ where: { tenantId, expiresAt: yesterday }, limit }),
    (limit) => db.signUpAttempt.deleteMany({ where: { tenantId, askedAt: { lt: ago(SIGN_UPS_KEPT) } }, limit }),
    (limit) => db.patientSignIn.updateMany({ where: deadPassword, data: { invitation: null }, limit }),
    (limit) => db.signInStep.deleteMany({ where: { tenantId, expiresAt: { lt: ago(0) } }, limit }),
    (limit) => db.codeSend.deleteMany({ where: { tenantId, sentAt: yesterday }, limit }),
    (limit) => db.signInFailure.deleteMany({ where: { tenantId, failedAt: yesterday, inRow: false }, limit }),
    (limit) => db.signInFailure.deleteMany({ where: endedRow, limit }),
    (limit) => db.knownDevice.deleteMany({ where: { tenantId, expiresAt: yesterday }, limit }),
    (limit) => db.addressChange.deleteMany({ where: { tenantId, expiresAt: { lt: ago(CHANGES_KEPT) } }, limit }),
    (limit) => db.askedEmailChange.deleteMany({ where: { tenantId, expiresAt: { lt: ago(CHANGES_KEPT) } }, limit }),
    (limit) => db.refreshToken.deleteMany({ where: { tenantId, session: { expiresAt: yesterday } }, limit }),
    (limit) => db.patientSession.deleteMany({ where: ended, limit }),
    (limit) => db.staffSession.deleteMany({ where: { tenantId, createdAt: longOver }, limit }),
    (limit) => db.staffLink.deleteMany({ where: { tenantId, purpose: 'reset', expiresAt: yesterday }, limit }),
    (limit) => db.idempotencyKey.deleteMany({ where: { tenantId, createdAt: { lte: ago(DAY) } }, limit }),
    (limit) => db.checkoutLink.updateMany({ where: deadLink, data: { token: null }, limit }),
    (limit) => db.manageLink.updateMany({ where: deadLink, data: { token: null }, limit }),
    (limit) => db.manageLink.deleteMany({ where: { tenantId, expiresAt: { lt: ago(LINKS_KEPT) } }, limit }),
    (limit) => db.checkoutLink.deleteMany({ where: { tenantId, expiresAt: { lt: ago(LINKS_KEPT) } }, limit }),
    (limit) => db.inboundEvent.deleteMany({ where: { tenantId, processedAt: { lt: ago(WEBHOOKS_KEPT) } }, limit }),
    (limit) => db.stripeRepair.deleteMany({ where: { tenantId, createdAt: { lt: ago(REPAIRS_KEPT) } }, limit }),
    (limit) => db.schedulingRepair.deleteMany({ where: { tenantId, createdAt: { lt: ago(REPAIRS_KEPT) } }, limit }),
    (limit) => db.unmatchedAppointment.deleteMany({ where: { tenantId, endAt: { lt: ago(UNMATCHED_KEPT) } }, limit }),
    (limit) => db.visitSignal.deleteMany({ where: { tenantId, createdAt: { lt: ago(SIGNALS_KEPT) } }, limit }),
    (limit) => db.visitSeat.updateMany({ where: deadSeat, data: { keyHash: null, holdHash: null }, limit }),
    (limit) => db.slotClaim.deleteMany({ where: { tenantId, endAt: { lt: ago(0) } }, limit }),
    (limit) => db.webhookDelivery.updateMany({ where: oldAnswer, data: { answer: null, sent: Prisma.DbNull }, limit }),
    (limit) => db.webhookHour.deleteMany({ where: { tenantId, hour: { lt: ago(HEALTH_KEPT) } }, limit }),
    (limit) => db.webhookDelivery.deleteMany({ where: arrived, limit }),
    (limit) => db.webhookDelivery.deleteMany({ where: givenUp, limit }),
    (limit) => db.availabilityDay.deleteMany({ where: { tenantId, OR: [{ day: { lt: lastDay } }, oldDay] }, limit }),
  ];
}
