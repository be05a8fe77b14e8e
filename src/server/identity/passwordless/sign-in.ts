import type { Wire } from '#sdk/protocol/endpoints.ts';
import { SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { newLinkToken } from '../../core/ids.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { CARE_COLUMNS, isInCare } from '../../patients/in-care.ts';
import { askedBy } from '../asked.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { CODE_LIFETIME, issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { pausedMessage } from '../paused-message.ts';
import { readUsNumber } from '../read-us-number.ts';

/**
 * Texts a code, which is good for this challenge alone: nobody else's request ends it. A number that nobody signs in with
 * gets the same answer and no text; one whose owner has to see the clinic first, after a change was undone, a text that
 * says so. Too often: rate_limited.
 */
export async function signIn(
  services: Services,
  caller: Caller,
  input: Inputs['passwordlessSignIn'],
): Promise<Wire['passwordlessSignIn']['answer']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'passwordless');
  const phoneNumber = readUsNumber(input.phone_number);
  const { tenantId } = ctx;
  const challenge = newLinkToken(tenantId);
  const resendAfter = await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${phoneNumber}`);
    const wait = await countSend(tx, ctx, phoneNumber, caller.ip);
    const found = await tx.patientSignIn.findUnique({
      where: { tenantId_phoneNumber: { tenantId, phoneNumber } },
      include: { patient: { select: CARE_COLUMNS } },
    });
    const signIn = found && isInCare(found.patient) ? found : null;
    const patientId = signIn && !signIn.resetBy ? signIn.patientId : null;
    const issued = await issueCode(tx, ctx, {
      purpose: 'sign_in',
      person: challenge,
      patientId,
      clientId,
      challenge,
    });
    const asked = askedBy(ctx, caller);
    if (patientId) await sendMessage(tx, ctx, { kind: 'sign_in_code', to: phoneNumber, ...issued, asked });
    else if (signIn?.resetBy) await sendMessage(tx, ctx, pausedMessage(phoneNumber, signIn.resetBy));
    else await sendMessage(tx, ctx, { kind: 'nothing' });
    return wait;
  });
  return { challenge, expires_in: CODE_LIFETIME.sign_in / SECOND, resend_after: resendAfter };
}
