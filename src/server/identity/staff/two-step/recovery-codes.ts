import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { readableCode } from '#server/core/readable-code.ts';

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
