import { DAY } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import type { Db } from '#server/core/db.ts';
import { ROW_KEPT } from '#server/identity/closing/in-a-row.ts';
import { NOWHERE } from '#server/identity/nowhere.ts';

/** How long an ended session is shown on its patient's page. */
const SESSIONS_KEPT = 90 * DAY;
/** A provider repeats a webhook for days; what has been seen must be known until then. */
const WEBHOOKS_KEPT = 30 * DAY;

/** Holds the password and the attributes of a sign-up, which another code for it still puts in force. */
const WAITING_SIGN_UP = { purpose: 'confirm', usedAt: null, target: { not: null } };

/**
 * Deletes what has run out: codes and steps of sign-ins, counters, sessions with their refresh tokens, first answers of
 * POSTs, links, and what the mirrors of the providers keep of the past. Nothing here is read any more, so running it
 * late, twice or never changes no answer; the audit log and the events are not touched.
 */
export async function forgetExpired({ database, clock, log }: Services): Promise<void> {
  const now = clock.now().getTime();
  let forgotten = 0;
  // What is counted for the portal, whose accounts are no single clinic's, stands under no clinic.
  for (const tenantId of [...(await database.tenantsOf('tenants')), NOWHERE]) {
    const results = await forgetOf(database.forTenant(tenantId), tenantId, now);
    forgotten += results.reduce((sum, { count }) => sum + count, 0);
  }
  if (forgotten > 0) log.info({ rows: forgotten }, 'expired rows deleted');
}

function forgetOf(db: Db, tenantId: string, now: number): Promise<{ count: number }[]> {
  const ago = (span: number) => new Date(now - span);
  const yesterday = { lt: ago(DAY) };
  const longOver = { lt: ago(SESSIONS_KEPT) };
  return db.$transaction([
    db.oneTimeCode.deleteMany({ where: { tenantId, expiresAt: yesterday, NOT: WAITING_SIGN_UP } }),
    db.signInStep.deleteMany({ where: { tenantId, expiresAt: { lt: ago(0) } } }),
    db.codeSend.deleteMany({ where: { tenantId, sentAt: yesterday } }),
    db.signInFailure.deleteMany({ where: { tenantId, failedAt: yesterday, inRow: false } }),
    // A closed row stays until its owner opens it.
    db.signInFailure.deleteMany({ where: { tenantId, failedAt: { lt: ago(ROW_KEPT) }, inRow: true, closedAt: null } }),
    db.knownDevice.deleteMany({ where: { tenantId, expiresAt: yesterday } }),
    db.refreshToken.deleteMany({ where: { tenantId, session: { expiresAt: yesterday } } }),
    db.patientSession.deleteMany({ where: { tenantId, OR: [{ endedAt: longOver }, { expiresAt: longOver }] } }),
    db.staffSession.deleteMany({ where: { tenantId, createdAt: longOver } }),
    db.staffLink.deleteMany({ where: { tenantId, purpose: 'reset', expiresAt: yesterday } }),
    db.idempotencyKey.deleteMany({ where: { tenantId, createdAt: { lt: ago(2 * DAY) } } }),
    db.checkoutLink.deleteMany({ where: { tenantId, expiresAt: yesterday } }),
    db.inboundEvent.deleteMany({ where: { tenantId, processedAt: { lt: ago(WEBHOOKS_KEPT) } } }),
    // The latest day anywhere on earth has not begun where it is two days ago by UTC.
    db.availabilityDay.deleteMany({
      where: {
        tenantId,
        day: {
          lt: ago(2 * DAY)
            .toISOString()
            .slice(0, 10),
        },
      },
    }),
  ]);
}
