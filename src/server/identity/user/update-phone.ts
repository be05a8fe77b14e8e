import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { askedBy } from '../asked.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import type { Inputs } from '../inputs.ts';
import { readUsNumber } from '../read-us-number.ts';
import { placeOf, requireChanger } from './require-changer.ts';

/**
 * Texts a code to the new number. Where another patient signs in with that, its owner is told instead.
 * Errors: proof_required, forbidden, rate_limited, phone_number_not_supported.
 */
export async function updatePhone(
  ctx: Context,
  { phone_number, ...shown }: Inputs['updatePhone'],
  caller: Caller,
): Promise<void> {
  const changer = await requireChanger(ctx, shown);
  const { patientId, clientId, by } = changer;
  const phoneNumber = readUsNumber(phone_number);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${phoneNumber}`);
    await countSend(tx, ctx, phoneNumber, caller.ip);
    const owner = await tx.patientSignIn.findUnique({ where: { tenantId_phoneNumber: { tenantId, phoneNumber } } });
    const isTaken = owner !== null && owner.patientId !== patientId;
    const issued = await issueCode(tx, ctx, {
      purpose: 'phone',
      person: placeOf(changer),
      patientId: isTaken ? null : patientId,
      clientId,
      target: phoneNumber,
    });
    const asked = askedBy(ctx, caller);
    if (isTaken) await sendMessage(tx, ctx, { kind: 'phone_in_use', to: phoneNumber, asked });
    else await sendMessage(tx, ctx, { kind: 'phone_code', to: phoneNumber, asked, ...issued });
    const object = { type: 'Patient', id: patientId };
    await record(tx, ctx, { action: 'users.ask_phone_change', object, patientId, details: { by } });
  });
}
