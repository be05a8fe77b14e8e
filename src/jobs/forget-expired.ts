import { DAY } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import type { Db } from '#server/core/db.ts';

/** How long an ended session is shown on its patient's page. */
const SESSIONS_KEPT = 90 * DAY;
/** A provider repeats a webhook for days; what has been seen must be known until then. */
const WEBHOOKS_KEPT = 30 * DAY;

/** How long a sign-up that nobody confirmed can still be confirmed, by another code. */
const SIGN_UPS_KEPT = 90 * DAY;

/**
 * Deletes what has run out: codes and steps of sign-ins, counters, sessions with their refresh tokens, first answers of
 * POSTs, links, sign-ups that nobody confirmed, temporary passwords, and what the mirrors of the providers keep of the past. Nothing here is read any more, so running it
 * late, twice or never changes no answer; the audit log and the events are not touched.
 */
export async function forgetExpired({ database, clock, log }: Services): Promise<void> {
  const now = clock.now().getTime();
  let forgotten = 0;
  for (const tenantId of await database.tenantsOf('tenants')) {
    const results = await forgetOf(database.forTenant(tenantId), tenantId, now);
    forgotten += results.reduce((sum, { count }) => sum + count, 0);
  }
  if (forgotten > 0) log.info({ rows: forgotten }, 'expired rows deleted');
}

function forgetOf(db: Db, tenantId: string, now: number): Promise<{ count: number }[]> {
  const ago = (span: number) => new Date(now - span);
  const yesterday = { lt: ago(DAY) };
  const longOver = { lt: ago(SESSIONS_KEPT) };
  return Promise.all([
    db.oneTimeCode.deleteMany({ where: { tenantId, expiresAt: yesterday } }),
    db.signUpAttempt.deleteMany({ where: { tenantId, askedAt: { lt: ago(SIGN_UPS_KEPT) } } }),
    db.patientSignIn.updateMany({
      where: { tenantId, temporaryUntil: { lt: ago(0) }, invitation: { not: null } },
      data: { invitation: null },
    }),
    db.signInStep.deleteMany({ where: { tenantId, expiresAt: { lt: ago(0) } } }),
    db.codeSend.deleteMany({ where: { tenantId, sentAt: yesterday } }),
    db.signInFailure.deleteMany({ where: { tenantId, failedAt: yesterday } }),
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
