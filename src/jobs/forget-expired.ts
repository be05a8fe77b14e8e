import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { type Db, Prisma } from '#server/core/db.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { forgetFailed } from '#server/core/jobs.ts';
import { ROW_KEPT } from '#server/identity/proving/closing/in-a-row.ts';

/** How long an ended session is shown on its patient's page. */
const SESSIONS_KEPT = 90 * DAY;
/** How long a payment link that was made is shown on its patient's page; what opens it is forgotten when it runs out. */
const LINKS_KEPT = 90 * DAY;
/** What undid one change is looked at when another is undone, which may be as long again after it. */
const CHANGES_KEPT = 7 * DAY;
/** A provider repeats a webhook for days; what has been seen must be known until then. */
const WEBHOOKS_KEPT = 30 * DAY;
/** How long it is shown what was put right because no webhook had told of it. */
const REPAIRS_KEPT = 90 * DAY;
/** How long whoever was booked at the provider and is no patient here is remembered, once the visit is over. */
const UNMATCHED_KEPT = 30 * DAY;

/** How long a sign-up that nobody confirmed can still be confirmed, by another code. */
const SIGN_UPS_KEPT = 90 * DAY;
/** How long deliveries that arrived, and all answers of receivers, are kept; what was given up is shown for longer. */
const DELIVERIES_KEPT = 30 * DAY;
const PARKED_KEPT = 90 * DAY;
/** How webhooks fared is shown for a day. */
const HEALTH_KEPT = 2 * DAY;
/** Somebody may still want to try again. */
const FAILED_JOBS_KEPT = 90 * DAY;
/** What one side of a call told the other is read within seconds, or not any more. */
const SIGNALS_KEPT = 5 * MINUTE;
/** Rows a statement, so that none holds many locks or runs for long. */
const BATCH = 1000;

/** Deletes at most so many rows that have run out. */
type Deletion = (limit: number) => Promise<{ count: number }>;

/**
 * Deletes what has run out: codes and steps of sign-ins, counters, sessions with their refresh tokens, first answers of
 * POSTs, links, sign-ups that nobody confirmed, temporary passwords, jobs that failed, and what the mirrors of the
 * providers keep of the past. Nothing here is read any more, so running it late, twice, in parts or never changes no
 * answer; the audit log and the events are not touched. What fails for one tenant is logged and tried again with the
 * next run, and stops no other.
 */
export async function forgetExpired({ database, clock, log }: Services): Promise<void> {
  const now = clock.now().getTime();
  let forgotten = 0;
  // What is counted for the portal, whose accounts are no single clinic's, stands under no clinic.
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
  forgotten += await all(async (limit) => ({ count: await forgetFailed(database.system, longFailed, limit) }));
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
  // The latest day anywhere on earth has not begun where it is two days ago by UTC.
  const lastDay = ago(2 * DAY)
    .toISOString()
    .slice(0, 10);
  // Nobody may be told of free times that old. One that was announced and never answered is as old as the epoch, and stays.
  const oldDay = { fetchedAt: { gt: new Date(0), lt: ago(2 * DAY) } };
  const deadPassword = { tenantId, temporaryUntil: { lt: ago(0) }, invitation: { not: null } };
  const deadLink = { tenantId, expiresAt: { lt: ago(0) }, token: { not: null } };
  // A page that was left may ask once more what has become of its seat.
  const deadSeat = { tenantId, leftAt: yesterday, keyHash: { not: null } };
  // A closed row stays until its owner opens it.
  const endedRow = { tenantId, failedAt: { lt: ago(ROW_KEPT) }, inRow: true, closedAt: null };
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
