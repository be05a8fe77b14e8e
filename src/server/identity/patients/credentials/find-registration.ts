import { toInteger } from '#sdk/protocol/hex.ts';
import { KDF, type Kdf } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { openVerifier } from '../../srp/verifier.ts';
import type { FailureKeys } from '../../verification/failures.ts';
import type { LockoutState } from '../../verification/lockout/lockout.ts';

const HASH_BYTES = 32;

export type FoundRegistration = { patientId: string | null; identity: string; salt: string; v: bigint; kdf: Kdf };

/** Response for an unknown account: stable, of the right shape, and matching no password. */
export function decoyRegistration(ctx: Context, email: string): FoundRegistration {
  const hash = (part: string) => keyedHash(ctx, 'srp/decoy', ctx.tenantId, email, part);
  const blocks = Array.from({ length: SRP_GROUP.byteLength / HASH_BYTES }, (_, index) => hash(`v${index}`));
  return {
    patientId: null,
    identity: hash('identity')
      .subarray(0, HASH_BYTES / 2)
      .toString('hex'),
    salt: hash('salt').toString('hex'),
    v: (toInteger(Buffer.concat(blocks)) % (SRP_GROUP.N - 3n)) + 2n,
    kdf: KDF,
  };
}

/** State of a person's attempts for this source and device. */
export type AttemptState = LockoutState & {
  isKnown: boolean;
  sourceBlockedUntil: Date | null;
  deviceBlockedUntil: Date | null;
};

type Row = AttemptState & {
  ownerId: string | null;
  isInCare: boolean | null;
  identity: string | null;
  salt: string | null;
  verifier: Uint8Array | null;
  kdf: Kdf | null;
};

/**
 * Finds the account's registration or a decoy, whether the device is known, and the state of attempts. An archived
 * patient's registration is still returned, without the patient: a decoy would reveal the archiving to a caller who
 * compares. An unconfirmed sign-up is not returned here (see find-sign-up.ts), or a new sign-up would reveal that there
 * was none before. One statement, because every sign-in and every guess starts with it.
 */
export async function findRegistration(
  ctx: Context,
  email: string,
  { keys, device }: { keys: FailureKeys; device: string },
): Promise<FoundRegistration & { tries: AttemptState }> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const unknown = decoyRegistration(ctx, email);
  const [row] = await ctx.db.$queryRaw<Row[]>`
    select p.id as "ownerId", coalesce(p.archived_at, p.care_ending_at) is null as "isInCare",
      s.srp_identity as identity, s.salt, s.verifier, s.kdf, d.hash is not null as "isKnown",
      fs.blocked_until as "sourceBlockedUntil", fs.approved_until as "approvedUntil",
      fd.blocked_until as "deviceBlockedUntil", fr.closed_at as "closedAt", fr.told_at as "toldAt"
    from (values (1)) as always
    left join patients p on p.tenant_id = ${tenantId}::uuid and p.email = ${email}
    left join patient_sign_ins s on s.tenant_id = p.tenant_id and s.patient_id = p.id
      and (s.confirmed_at is not null or s.temporary_until is not null)
    left join known_devices d on d.tenant_id = ${tenantId}::uuid and d.hash = ${device} and d.patient_id = p.id
      and p.archived_at is null and d.expires_at > ${now}::timestamptz
    left join sign_in_failures fs on fs.tenant_id = ${tenantId}::uuid and fs.key = ${keys.source}
    left join sign_in_failures fd on fd.tenant_id = ${tenantId}::uuid and fd.key = ${keys.device}
    left join sign_in_failures fr on fr.tenant_id = ${tenantId}::uuid and fr.key = ${keys.unknownDevicesInRow}`;
  const { ownerId, isInCare, identity, salt, verifier, kdf, ...tries } = row!;
  if (!ownerId || !identity || !salt || !verifier || !kdf) return { ...unknown, tries };
  const v = toInteger(Buffer.from(openVerifier(ctx, ownerId, verifier), 'hex'));
  return { patientId: isInCare ? ownerId : null, identity, salt, v, kdf, tries };
}
