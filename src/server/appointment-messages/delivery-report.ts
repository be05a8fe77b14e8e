import type { UnsentReason } from '#contract/message-templates.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import {
  handleInboundText,
  recordDeliveryReport,
  type TwilioRequest,
  verifyTwilioForm,
} from '#server/consent/index.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { isId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { presentMessage, sentToBoundTo } from './message.ts';
import { TEXT_REASONS } from './outcome.ts';

const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** Final delivery states; intermediate ones (`queued`, `sent`) are ignored, even when they arrive late. */
const FINAL_STATES: Record<string, 'delivered' | 'not_delivered'> = {
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'not_delivered',
  failed: 'not_delivered',
};

/**
 * Receives Twilio's webhooks: an incoming text message, or a delivery report
 * (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status). A repeated or late report changes
 * nothing; `delivered` takes precedence over a failure.
 *
 * @returns the response as TwiML
 * @throws 401 unless Twilio signed the request for this account and address; 400 for an invalid form.
 */
export async function receiveTwilioWebhook(services: Services, request: TwilioRequest): Promise<string> {
  const form = verifyTwilioForm(services, request);
  const status = form.get('MessageStatus');
  // Incoming messages have a status too; only reports on outgoing ones have a status and no body.
  if (status === null || form.has('Body')) return handleInboundText(services, form);
  const delivery = FINAL_STATES[status];
  if (!delivery) return EMPTY_TWIML;
  const code = Number(form.get('ErrorCode')) || null;
  const sender = form.get('MessagingServiceSid') ?? form.get('From') ?? '';
  const [to, sid] = [form.get('To') ?? '', form.get('MessageSid') ?? ''];
  if (delivery === 'not_delivered') await recordDeliveryReport(services, to, { twilioCode: code, sender, sid });
  const [tenantId = '', id = ''] = (request.about ?? '').split('.');
  if (isId(tenantId) && isId(id)) await recordDelivery(services, { tenantId, id, to, delivery, code });
  return EMPTY_TWIML;
}

type DeliveryReport = {
  tenantId: string;
  id: string;
  to: string;
  delivery: 'delivered' | 'not_delivered';
  code: number | null;
};

/**
 * Finds the message by the id in our callback address, which Twilio signs, and only if the number matches. So a report
 * that arrives before Twilio's response to the send is not lost, and also settles a send whose outcome was unknown.
 */
async function recordDelivery(services: Services, { tenantId, id, to, delivery, code }: DeliveryReport): Promise<void> {
  const ctx = systemContext(services, tenantId, 'twilio_webhook');
  await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`
      select id from visit_messages where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
    const row = await tx.visitMessage.findFirst({ where: { tenantId, id, channel: 'sms' } });
    if (!row) await recordCodeDelivery(tx, { tenantId, id, delivery });
    const isOurs = row?.sentTo && ctx.cipher.open(row.sentTo, sentToBoundTo(row)) === to;
    if (!row || !isOurs || row.delivery === 'delivered' || row.delivery === delivery) return;
    await save(tx, ctx, row, {
      delivery,
      why: delivery === 'delivered' ? null : (code && TEXT_REASONS[code]) || 'undelivered',
    });
  });
}

/** Updates a sent verification code: a lost one may be replaced on the next request. */
async function recordCodeDelivery(
  tx: Tx,
  { tenantId, id, delivery }: Pick<DeliveryReport, 'tenantId' | 'id' | 'delivery'>,
): Promise<void> {
  const where = { tenantId, id, texted: true, OR: [{ outcome: null }, { outcome: { not: 'delivered' } }] };
  await tx.codeSend.updateMany({ where, data: { outcome: delivery === 'delivered' ? delivery : 'lost' } });
}

async function save(
  tx: Tx,
  ctx: Context,
  row: VisitMessage,
  { delivery, why }: { delivery: DeliveryReport['delivery']; why: UnsentReason | null },
): Promise<void> {
  const { tenantId, id } = row;
  const now = ctx.clock.now();
  // The response to the send was lost; this report confirms it.
  const wasUnknown = row.state === 'failed' && row.why === 'unknown';
  const data = {
    ...{ delivery, deliveryWhy: why, updatedAt: now },
    ...(wasUnknown && { state: 'sent', why: null, sentAt: now }),
  };
  const after = await tx.visitMessage.update({ where: { id }, data });
  const isDelivered = delivery === 'delivered';
  const event = isDelivered ? (wasUnknown ? 'message.sent' : null) : 'message.failed';
  await record(tx, ctx, {
    action: isDelivered ? 'appointment_messages.deliver' : 'appointment_messages.fail_delivery',
    object: { type: 'Message', id },
    patientId: row.patientId,
    ...(event && { event, payload: presentMessage(after) }),
    details: { kind: row.kind, channel: row.channel, ...(why && { why }) },
    isNews: true,
  });
  ctx.log.debug({ tenantId, messageId: id, end: delivery }, 'how far a text came is written down');
}
