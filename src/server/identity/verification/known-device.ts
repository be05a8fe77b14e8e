import { DAY } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash, sha256 } from '../../core/crypto.ts';
import { Prisma, type Tx } from '../../core/db.ts';
import { tokenOfTenant } from '../../core/ids.ts';

/** From the last sign-in with it. */
const LIFETIME = 90 * DAY;

/** The account that a device is known to; exactly one. */
export type DeviceOwner = { patientId: string } | { staffUserId: string };

const columnsOf = (owner: DeviceOwner) => ({
  patientId: 'patientId' in owner ? owner.patientId : null,
  staffUserId: 'staffUserId' in owner ? owner.staffUserId : null,
});

/** Hash of a device secret, which has 256 bits and cannot be guessed. */
export const deviceHash = (secret: string): string => sha256(`known-device\n${secret}`);

/** The secret that a sign-in gives to its device; derived, so that a repeated sign-in step returns the same one. */
export const secretOfSession = (ctx: Context, sessionId: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'known-devices', sessionId).toString('base64url'));

/**
 * SQL for `with` clauses of a sign-in: `known` extends the presented device if it belongs to this account; otherwise
 * `device` adds a new one for each row of `from`.
 */
export function knownDeviceSql(
  ctx: Context,
  owner: DeviceOwner,
  device: { presented: string | undefined; secret: string; from: Prisma.Sql },
): { known: Prisma.Sql; device: Prisma.Sql } {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + LIFETIME);
  const { patientId, staffUserId } = columnsOf(owner);
  return {
    known: Prisma.sql`
      update known_devices set last_used_at = ${now}::timestamptz, expires_at = ${until}::timestamptz
      where tenant_id = ${tenantId}::uuid and hash = ${deviceHash(device.presented ?? '')}
        and patient_id is not distinct from ${patientId}::uuid
        and staff_user_id is not distinct from ${staffUserId}::uuid and expires_at > ${now}::timestamptz
      returning hash`,
    device: Prisma.sql`
      insert into known_devices (tenant_id, hash, patient_id, staff_user_id, last_used_at, expires_at, created_at)
      select ${tenantId}::uuid, ${deviceHash(device.secret)}, ${patientId}::uuid, ${staffUserId}::uuid,
        ${now}::timestamptz, ${until}::timestamptz, ${now}::timestamptz
      from ${device.from} where not exists (select from known)
      on conflict (tenant_id, hash) do nothing
      returning hash`,
  };
}

/** Returns whether the secret belongs to a known device of this account. */
export async function isKnownDevice(
  db: Pick<Tx, 'knownDevice'>,
  ctx: Context,
  secret: string | undefined,
  owner: DeviceOwner,
): Promise<boolean> {
  const row = await db.knownDevice.findFirst({
    where: {
      tenantId: ctx.tenantId,
      hash: deviceHash(secret ?? ''),
      ...columnsOf(owner),
      expiresAt: { gt: ctx.clock.now() },
    },
    select: { hash: true },
  });
  return row !== null;
}

/** Deletes all known devices of an account. */
export async function deleteKnownDevices(tx: Pick<Tx, 'knownDevice'>, ctx: Context, owner: DeviceOwner): Promise<void> {
  await tx.knownDevice.deleteMany({ where: { tenantId: ctx.tenantId, ...columnsOf(owner) } });
}
