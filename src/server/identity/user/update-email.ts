import type { Context } from '../../core/context.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { askedBy } from '../asked.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { personAt } from '../codes/person-key.ts';
import type { Inputs } from '../inputs.ts';
import { requireSession } from './require-patient.ts';

/** Mails a code to the new address. Where that is another patient's, its owner is told instead, and nobody else. */
export async function updateEmail(ctx: Context, { email }: Inputs['updateEmail'], caller: Caller): Promise<void> {
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email}`);
    await countSend(tx, ctx, email, caller.ip);
    const owner = await tx.patient.findUnique({
      where: { tenantId_email: { tenantId, email } },
      select: { id: true },
    });
    const isTaken = owner !== null && owner.id !== patientId;
    const issued = await issueCode(tx, ctx, {
      purpose: 'email',
      person: personAt(patientId, sessionId),
      patientId: isTaken ? null : patientId,
      clientId,
      target: email,
    });
    const asked = askedBy(ctx, caller);
    if (isTaken) await sendMessage(tx, ctx, { kind: 'email_in_use', to: email, asked });
    else await sendMessage(tx, ctx, { kind: 'email_code', to: email, asked, ...issued });
  });
}
