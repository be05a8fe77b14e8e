import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import { type EmailBranding, getEmailBranding } from '#server/clinic/index.ts';
import { recordDeliveryError } from '#server/consent/index.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { loggableSmtpError, sendMail } from '#server/providers/mail.ts';
import { sendSms } from '#server/providers/sms.ts';
import { reasonOf } from '#server/scheduling/index.ts';
import { type ClaimedMessage, claimMessage, lostBefore } from './claim-message.ts';
import { type ComposeInput, choicesLinkFor, composeMail, composeText } from './compose-message.ts';
import { presentMessage, queueSending } from './message.ts';
import { readMessageSettings } from './message-settings.ts';
import { type Outcome, outcomeOfMail, outcomeOfText, retryDelayMs } from './outcome.ts';
import { removeTenantWithoutMessages, TENANTS_WITH_MESSAGES } from './tenants-with-messages.ts';

/** Messages per run, and concurrent sends: a slow server delays few others. */
const BATCH = 200;
const CONCURRENCY = 4;
/** Maximum duration of one send. */
const LONGEST_MS = 2 * MINUTE;

/** After this time a run starts no more sends, so that other jobs get their turn. */
const LONGEST_RUN_MS = 20 * SECOND;
/** Pause after a server did not respond. */
const AWAY_MS = 30 * SECOND;

/** Job of every minute: queues a run for each tenant with due messages. Queries only tenants with planned ones. */
export async function queueDueMessages(services: Services): Promise<void> {
  const { database, clock, log } = services;
  const now = clock.now();
  for (const tenantId of await database.tenantsOf(TENANTS_WITH_MESSAGES)) {
    try {
      await queueTenant(services, tenantId, now);
    } catch (error) {
      log.error({ tenantId, err: (error as Error).message }, 'what is due of a clinic could not be looked up');
    }
  }
}

async function queueTenant(services: Services, tenantId: string, now: Date): Promise<void> {
  const db = services.database.forTenant(tenantId);
  const of = { tenantId, state: 'planned' };
  const next = await db.visitMessage.findFirst({ where: of, orderBy: { dueAt: 'asc' }, select: { dueAt: true } });
  const sending = await db.visitMessage.findFirst({
    where: { tenantId, state: 'sending' },
    orderBy: { claimedAt: 'asc' },
    select: { claimedAt: true },
  });
  if (!next && !sending) {
    return removeTenantWithoutMessages(services, tenantId);
  }
  const isLost = sending !== null && (sending.claimedAt === null || sending.claimedAt < lostBefore(now));
  if (isLost || (next && next.dueAt <= now)) await queueSending(db, tenantId);
}

/**
 * Sends the due messages of one tenant, each at most once. A message whose process ended during delivery gets an
 * unknown outcome.
 */
export async function sendDueMessages(services: Services, { tenantId }: Jobs['send_visit_messages']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'visit_messages');
  await failLostMessages(ctx);
  const isAway = (channel: string) => awayNow(services).some((one) => one === channel);
  const due = await ctx.db.visitMessage.findMany({
    where: { tenantId, state: 'planned', dueAt: { lte: ctx.clock.now() }, channel: { notIn: awayNow(services) } },
    orderBy: [{ dueAt: 'asc' }, { sequence: 'asc' }, { id: 'asc' }],
    take: BATCH,
    select: { id: true, channel: true },
  });
  if (due.length === 0) return;
  const { settings } = await readMessageSettings(ctx.db, tenantId);
  const branding = await getEmailBranding(services, tenantId);
  const remaining = due.reverse();
  const until = performance.now() + LONGEST_RUN_MS;
  let firstError: unknown = null;
  const work = async () => {
    while (performance.now() < until) {
      const next = remaining.pop();
      if (!next) return;
      if (isAway(next.channel)) continue;
      // One failed message must not stop the others.
      await sendOne(ctx, next.id, { settings, branding }).catch((error: unknown) => {
        firstError ??= error;
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (due.length === BATCH || remaining.length > 0) await queueSending(ctx.db, tenantId);
  if (firstError) throw firstError;
}

/** Returns the channels whose server did not respond a moment ago, for any tenant. */
const awayNow = ({ channelsAwayUntil }: Pick<Services, 'channelsAwayUntil'>): MessageChannel[] =>
  [...channelsAwayUntil].filter(([, until]) => until > performance.now()).map(([channel]) => channel);

type TenantSettings = { settings: MessageSettings; branding: EmailBranding };

async function sendOne(ctx: Context, id: string, tenantSettings: TenantSettings): Promise<void> {
  const claimed = await claimMessage(ctx, id, tenantSettings.settings);
  if (!claimed) return;
  const outcome = await deliver(ctx, claimed, tenantSettings);
  await saveOutcome(ctx, claimed.row, outcome);
}

async function deliver(
  ctx: Context,
  { row, appointment, to, wasAt }: ClaimedMessage,
  tenantSettings: TenantSettings,
): Promise<Outcome> {
  const { kind, sequence, entryId, patientId, channel } = row;
  const reason = kind === 'cancellation' ? reasonOf(ctx, appointment, true) : null;
  const input: ComposeInput = { kind, sequence, entryId, appointment, wasAt, reason, ...tenantSettings };
  const stamp = { tenantId: ctx.tenantId };
  try {
    if (channel === 'sms')
      await withSendTimeout(
        sendSms(ctx.config, {
          ...{ to, text: composeText(ctx, input), stamp, sender: 'reminder' },
          about: `${ctx.tenantId}.${row.id}`,
        }),
      );
    else {
      const link = choicesLinkFor(ctx, kind, patientId);
      await withSendTimeout(sendMail(ctx, { ...composeMail(ctx, input, to, link), stamp }));
    }
    return { became: 'sent' };
  } catch (error) {
    const outcome = channel === 'sms' ? outcomeOfText(error) : outcomeOfMail(error);
    ctx.log.warn({ messageId: row.id, ...loggableSmtpError(error), became: outcome.became }, 'a message was not sent');
    if (outcome.became === 'again' && outcome.isUnreachable)
      ctx.channelsAwayUntil.set(channel, performance.now() + AWAY_MS);
    if (outcome.became === 'failed') await recordBounce(ctx, to, error);
    return outcome;
  }
}

/** A send that takes longer has an unknown outcome. */
async function withSendTimeout(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the server took too long')), LONGEST_MS);
  });
  await Promise.race([sending, tooLong]).finally(() => clearTimeout(timer));
}

/**
 * Stores what a provider's rejection says about an address. A failure here does not affect the outcome of the message.
 */
async function recordBounce(ctx: Context, address: string, error: unknown): Promise<void> {
  await recordDeliveryError(ctx, address, error).catch((error: Error) =>
    ctx.log.error({ err: error.message }, 'what a refusal says of an address is not written down'),
  );
}

/**
 * Stores the outcome of an attempt and records its event. A message that was certainly not sent is due again later, as
 * long as the appointment has not started.
 */
async function saveOutcome(ctx: Context, row: VisitMessage, outcome: Outcome): Promise<void> {
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const data = dataOf(row, outcome, now);
    // Also corrects a message that was given up as unknown before its outcome arrived.
    const claimedRow = { tenantId, id: row.id, tries: row.tries };
    const { count } = await tx.visitMessage.updateMany({
      where: { ...claimedRow, OR: [{ state: 'sending' }, { state: 'failed', why: 'unknown' }] },
      data: { ...data, updatedAt: now },
    });
    if (count === 0 || data.state === 'planned') return;
    const after = await tx.visitMessage.findFirstOrThrow({ where: { tenantId, id: row.id } });
    const isSent = data.state === 'sent';
    await record(tx, ctx, {
      action: isSent ? 'appointment_messages.send' : 'appointment_messages.fail',
      object: { type: 'Message', id: row.id },
      patientId: row.patientId,
      event: isSent ? 'message.sent' : 'message.failed',
      payload: presentMessage(after),
      details: { kind: row.kind, channel: row.channel, ...(after.why && { why: after.why }) },
      isNews: true,
    });
  });
}

function dataOf(row: VisitMessage, outcome: Outcome, now: Date) {
  if (outcome.became === 'sent') return { state: 'sent', why: null, sentAt: now };
  if (outcome.became === 'failed') return { state: 'failed', why: outcome.why };
  const pause = retryDelayMs(row.tries);
  const dueAt = pause === null ? null : new Date(now.getTime() + pause);
  return dueAt && dueAt < row.startAt ? { state: 'planned', why: null, dueAt } : { state: 'failed', why: 'away' };
}

/**
 * Gives up messages whose process ended during delivery: the outcome is unknown, so they are not sent again
 * automatically.
 */
async function failLostMessages(ctx: Context): Promise<void> {
  const lost = await ctx.db.visitMessage.findMany({
    where: { tenantId: ctx.tenantId, state: 'sending', claimedAt: { lt: lostBefore(ctx.clock.now()) } },
    take: 100,
  });
  // A delivery report may have arrived in the meantime.
  for (const row of lost)
    await saveOutcome(ctx, row, row.delivery ? { became: 'sent' } : { became: 'failed', why: 'unknown' });
}
