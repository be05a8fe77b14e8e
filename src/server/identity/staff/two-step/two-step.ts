import { Secret, TOTP } from 'otpauth';
import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { readableCode } from '#server/core/ids.ts';
import { sendMessage } from '#server/messages/index.ts';
import { SECOND } from '../../../core/clock.ts';
import { record } from '../../../core/record.ts';
import { endStaffSessions } from '../end-staff-sessions.ts';

/**
 * What every authenticator app supports: SHA-1, six digits, 30 seconds (RFC 6238); 160 bits as RFC 4226 §4 recommends.
 */
const SECRET_BYTES = 20;
const DIGITS = 6;
const PERIOD = 30 * SECOND;
/** Also accepts the code of the step before or after, to allow for clock skew (RFC 6238 §5.2). */
const STEPS_BESIDE = 1;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD / SECOND,
  });

/** In base32, the form for manual entry. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The `otpauth://` URI that apps read from a QR code. */
export const totpUri = (secret: string, names: { issuer: string; label: string }): string =>
  totpOf(secret, names).toString();

/** Returns the time step of a code, or null if the code is not valid now. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: STEPS_BESIDE });
  return delta === null ? null : Math.floor(timestamp / PERIOD) + delta;
}

export const secretBoundTo = (tenantId: string, userId: string): string =>
  `staff_two_steps/${tenantId}/${userId}/secret`;

const COUNT = 10;
const GROUPS = 3;

/** Replaces all recovery codes with ten new ones, which are shown only once. */
export async function issueRecoveryCodes(tx: Tx, ctx: Context, userId: string): Promise<string[]> {
  const { tenantId } = ctx;
  const codes = Array.from({ length: COUNT }, () => readableCode(GROUPS));
  await tx.staffRecoveryCode.deleteMany({ where: { tenantId, userId } });
  await tx.staffRecoveryCode.createMany({
    data: codes.map((code) => ({ tenantId, userId, hash: recoveryCodeHash(ctx, userId, code) })),
  });
  return codes;
}

/** Hash of a recovery code; ignores case, spaces and punctuation. */
export const recoveryCodeHash = (ctx: Context, userId: string, code: string): string =>
  keyedHash(ctx, 'recovery-codes', ctx.tenantId, userId, code.toLowerCase().replace(/[^a-z0-9]/g, '')).toString(
    'base64url',
  );

type Person = { id: string; email: string };
type Removal = { action: 'account.turn_off_two_step' | 'team.reset_two_step'; except?: string | undefined };

/** Removes the second step: all sessions but one end, and the owner gets an email. */
export async function removeTwoStep(tx: Tx, ctx: Context, user: Person, { action, except }: Removal): Promise<void> {
  const where = { tenantId: ctx.tenantId, userId: user.id };
  await tx.staffTwoStep.deleteMany({ where });
  await tx.staffRecoveryCode.deleteMany({ where });
  await endStaffSessions(tx, ctx, { userId: user.id, except }, 'two_step_changed');
  await record(tx, ctx, { action, object: { type: 'StaffUser', id: user.id } });
  await sendMessage(tx, ctx, { kind: 'two_step_off', staffUserId: user.id, to: user.email });
}
