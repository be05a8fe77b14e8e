import { toInteger } from '#sdk/protocol/hex.ts';
import { KDF, type Kdf } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash } from '../keyed-hash.ts';
import { openVerifier } from './verifier.ts';

const HASH_BYTES = 32;

export type FoundRegistration = { patientId: string | null; identity: string; salt: string; v: bigint; kdf: Kdf };

/** What somebody unknown is answered with: stable, of the right shape, and of no password. */
export function decoy(ctx: Context, email: string): FoundRegistration {
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

type Row = {
  ownerId: string | null;
  isInCare: boolean | null;
  identity: string | null;
  salt: string | null;
  verifier: Uint8Array | null;
  kdf: Kdf | null;
  blockedUntil: Date | null;
};

/**
 * What the e-mail's owner registered instead of a password, or a decoy; and until when tries that count under
 * `failureKey` must wait. That of a patient who is archived, or about to be, goes on to be told, of nobody's now: a decoy
 * in its place would tell who looks twice that somebody was archived. Who has yet to confirm an address is not its owner: what they registered
 * is told as a sign-up's (find-sign-up.ts), else it would tell whoever signs up that nobody had done so before.
 * One statement, for every sign-in and every guess begins with it.
 */
export async function findRegistration(
  ctx: Context,
  email: string,
  failureKey: string,
): Promise<FoundRegistration & { blockedUntil: Date | null }> {
  const { tenantId } = ctx;
  const unknown = decoy(ctx, email);
  const [row] = await ctx.db.$queryRaw<Row[]>`
    select p.id as "ownerId", coalesce(p.archived_at, p.care_ending_at) is null as "isInCare",
      s.srp_identity as identity, s.salt, s.verifier, s.kdf, f.blocked_until as "blockedUntil"
    from (values (1)) as always
    left join patients p on p.tenant_id = ${tenantId}::uuid and p.email = ${email}
    left join patient_sign_ins s on s.tenant_id = p.tenant_id and s.patient_id = p.id
      and (s.confirmed_at is not null or s.temporary_until is not null)
    left join sign_in_failures f on f.tenant_id = ${tenantId}::uuid and f.key = ${failureKey}`;
  const { ownerId, isInCare, identity, salt, verifier, kdf, blockedUntil } = row!;
  if (!ownerId || !identity || !salt || !verifier || !kdf) return { ...unknown, blockedUntil };
  const v = toInteger(Buffer.from(openVerifier(ctx, ownerId, verifier), 'hex'));
  return { patientId: isInCare ? ownerId : null, identity, salt, v, kdf, blockedUntil };
}
