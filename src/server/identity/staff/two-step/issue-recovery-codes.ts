import { readableCode } from '#server/core/readable-code.ts';
import type { Context } from '../../../core/context.ts';
import type { Tx } from '../../../core/db.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';

const COUNT = 10;
const GROUPS = 3;

/** Ten new codes in place of all before; they are shown this once. */
export async function issueRecoveryCodes(tx: Tx, ctx: Context, userId: string): Promise<string[]> {
  const { tenantId } = ctx;
  const codes = Array.from({ length: COUNT }, () => readableCode(GROUPS));
  await tx.staffRecoveryCode.deleteMany({ where: { tenantId, userId } });
  await tx.staffRecoveryCode.createMany({
    data: codes.map((code) => ({ tenantId, userId, hash: recoveryCodeHash(ctx, userId, code) })),
  });
  return codes;
}
