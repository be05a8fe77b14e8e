import type { MessageWhy } from '#contract/message-words.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import { noteReport } from '#server/consent/note-refusal.ts';
import { openTwilioForm, type TwilioRequest, takeText } from '#server/consent/twilio-webhook.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { isId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { sentToBoundTo } from './claim.ts';
import { presentMessage } from './present-message.ts';

const NOTHING = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** What Twilio's codes say of the phone (https://www.twilio.com/docs/api/errors); all others, that nobody knows why. */
const WHYS: Record<number, MessageWhy> = {
  21211: 'no_number',
  21610: 'stopped',
  21614: 'takes_no_texts',
  30003: 'unreachable',
  30004: 'blocked_there',
  30005: 'no_number',
  30006: 'takes_no_texts',
  30007: 'filtered',
};

/** How far a text came in the end; what it was on its way (`queued`, `sent`) says nothing, however late it is told. */
const ENDS: Record<string, 'delivered' | 'not_delivered'> = {
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'not_delivered',
  failed: 'not_delivered',
};

/**
 * What Twilio tells: a text that somebody sent to a number of ours, or how far one of ours came
 * (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status). Told again, or after its end, it changes
 * nothing; that it was delivered is believed over that it was not.
 *
 * @returns what Twilio is told to say, as TwiML. Errors: 401 unless Twilio signed it for this account and address; 400 for a
 * form that is none of Twilio's.
 */
export async function receiveTwilioWebhook(services: Services, request: TwilioRequest): Promise<string> {
  const form = openTwilioForm(services, request);
  const status = form.get('MessageStatus');
  // Texts of others have a status too; only those that we sent have one and no words.
  if (status === null || form.has('Body')) return takeText(services, form);
  const end = ENDS[status];
  if (!end) return NOTHING;
  const code = Number(form.get('ErrorCode')) || null;
  const sender = form.get('MessagingServiceSid') ?? form.get('From') ?? '';
  const [to, sid] = [form.get('To') ?? '', form.get('MessageSid') ?? ''];
  if (end === 'not_delivered') await noteReport(services, to, { twilioCode: code, sender, sid });
  const [tenantId = '', id = ''] = (request.about ?? '').split('.');
  if (isId(tenantId) && isId(id)) await noteDelivery(services, { tenantId, id, to, end, code });
  return NOTHING;
}

type Told = { tenantId: string; id: string; to: string; end: 'delivered' | 'not_delivered'; code: number | null };

/**
 * Finds the message by the id in our callback address, which Twilio signs, and only if the number matches. So a report
 * that arrives before Twilio's response to the send is not lost, and also settles a send whose outcome was unknown.
 */
async function noteDelivery(services: Services, { tenantId, id, to, end, code }: Told): Promise<void> {
  const ctx = systemContext(services, tenantId, 'twilio_webhook');
  await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`
      select id from visit_messages where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
    const row = await tx.visitMessage.findFirst({ where: { tenantId, id, channel: 'sms' } });
    if (!row) await noteCode(tx, { tenantId, id, end });
    const isOurs = row?.sentTo && ctx.cipher.open(row.sentTo, sentToBoundTo(row)) === to;
    if (!row || !isOurs || row.delivery === 'delivered' || row.delivery === end) return;
    await save(tx, ctx, row, { end, why: end === 'delivered' ? null : (code && WHYS[code]) || 'undelivered' });
  });
}

/** Of a code: in place of one that got lost another may be sent to who asks again. */
async function noteCode(tx: Tx, { tenantId, id, end }: Pick<Told, 'tenantId' | 'id' | 'end'>): Promise<void> {
  const where = { tenantId, id, texted: true, OR: [{ outcome: null }, { outcome: { not: 'delivered' } }] };
  await tx.codeSend.updateMany({ where, data: { outcome: end === 'delivered' ? end : 'lost' } });
}

async function save(
  tx: Tx,
  ctx: Context,
  row: VisitMessage,
  { end, why }: { end: Told['end']; why: MessageWhy | null },
): Promise<void> {
  const { tenantId, id } = row;
  const now = ctx.clock.now();
  // Whoever sent it never heard that Twilio had taken it: this says so.
  const wasUnknown = row.state === 'failed' && row.why === 'unknown';
  const data = {
    ...{ delivery: end, deliveryWhy: why, updatedAt: now },
    ...(wasUnknown && { state: 'sent', why: null, sentAt: now }),
  };
  const after = await tx.visitMessage.update({ where: { id }, data });
  const isDelivered = end === 'delivered';
  const event = isDelivered ? (wasUnknown ? 'message.sent' : null) : 'message.failed';
  await record(tx, ctx, {
    action: isDelivered ? 'visit_messages.delivered' : 'visit_messages.not_delivered',
    object: { type: 'Message', id },
    patientId: row.patientId,
    ...(event && { event, payload: presentMessage(after) }),
    details: { kind: row.kind, channel: row.channel, ...(why && { why }) },
    isNews: true,
  });
  ctx.log.debug({ tenantId, messageId: id, end }, 'how far a text came is written down');
}
