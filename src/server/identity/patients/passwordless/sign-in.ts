import type { Wire } from '#sdk/protocol/endpoints.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newLinkToken } from '#server/core/ids.ts';
import type { PatientMessage } from '#server/messages/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { type CountedSend, countSend } from '../../verification/codes/count-send.ts';
import { CODE_LIFETIME, issueUnlessSent } from '../../verification/codes/issue-code.ts';
import { lockPerson } from '../../verification/person.ts';
import { pausedMessage } from '../address-changes/reset-requirement.ts';
import type { Inputs } from '../inputs.ts';
import { parseUsNumber } from '../parse-us-number.ts';

/**
 * Texts a code for this challenge only; other requests do not end it. A number without an account gets the same
 * response and no text message; after an undone change that requires the clinic, a text message says so.
 * @throws `rate_limited`
 */
export async function signIn(
  services: Services,
  caller: Caller,
  input: Inputs['passwordlessSignIn'],
): Promise<Wire['passwordlessSignIn']['response']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'passwordless');
  const phoneNumber = parseUsNumber(input.phone_number);
  const { tenantId } = ctx;
  const challenge = newLinkToken(tenantId);
  const sent = await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${phoneNumber}`);
    const request = { address: phoneNumber, purpose: 'sign_in', caller, input } as const;
    const counted = await countSend(tx, ctx, request);
    const row = await tx.patientSignIn.findUnique({
      where: { tenantId_phoneNumber: { tenantId, phoneNumber } },
      include: { patient: { select: CARE_COLUMNS } },
    });
    const signIn = row && isInCare(row.patient) ? row : null;
    const patientId = signIn && !signIn.resetBy ? signIn.patientId : null;
    const issued = await issueUnlessSent(tx, ctx, {
      purpose: 'sign_in',
      person: challenge,
      patientId,
      clientId,
      send: counted,
      challenge,
      target: phoneNumber,
    });
    const asked = describeRequest(ctx, caller);
    const code = issued && ({ kind: 'sign_in_code', to: phoneNumber, ...issued, asked } as const);
    if (patientId) await sendCode(tx, ctx, counted, code);
    else if (signIn?.resetBy) await sendNotice(tx, ctx, counted, pausedMessage(phoneNumber, signIn.resetBy));
    else await sendCode(tx, ctx, counted, null);
    return counted;
  });
  // Every caller gets the number to text START to, so that the response does not reveal an opt-out (STOP).
  const from = services.config.twilio?.from ?? '';
  const code_sender = from.startsWith('+') ? from : null;
  return { challenge, expires_in: CODE_LIFETIME.sign_in / SECOND, resend_after: sent.wait, code_sender };
}

/** Queues a requested message; with null nothing is sent, because an earlier message stands in for it. */
const sendCode = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage | null): Promise<void> =>
  sendMessage(tx, ctx, message ? { ...message, sendId: send.id } : { kind: 'nothing' });

/** Like `sendCode`, for a message without a code. */
const sendNotice = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage): Promise<void> =>
  sendCode(tx, ctx, send, send.earlier.length === 0 ? message : null);
