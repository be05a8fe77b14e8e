import { toInteger } from '#sdk/protocol/hex.ts';
import { KDF, type Kdf } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash } from '../keyed-hash.ts';
import { openVerifier } from './verifier.ts';

const HASH_BYTES = 32;

export type FoundRegistration = { patientId: string | null; identity: string; salt: string; v: bigint; kdf: Kdf };

/** What somebody unknown is answered with: stable, of the right shape, and of no password. */
function decoy(ctx: Context, email: string): FoundRegistration {
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

/** What the e-mail's owner registered instead of a password, or a decoy. */
export async function findRegistration(ctx: Context, email: string): Promise<FoundRegistration> {
  const unknown = decoy(ctx, email);
  const patient = await ctx.db.patient.findUnique({
    where: { tenantId_email: { tenantId: ctx.tenantId, email } },
    select: { id: true, archivedAt: true, signIn: true },
  });
  const { srpIdentity, salt, verifier, kdf } = patient?.signIn ?? {};
  if (!patient || patient.archivedAt || !srpIdentity || !salt || !verifier) return unknown;
  const v = toInteger(Buffer.from(openVerifier(ctx, patient.id, verifier), 'hex'));
  return { patientId: patient.id, identity: srpIdentity, salt, v, kdf: kdf as Kdf };
}
