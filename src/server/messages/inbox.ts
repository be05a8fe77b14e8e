import type { Page } from '#contract/conventions.ts';
import type { ListMessagesInput, MessageView, ReplyInput } from '#contract/inbox.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { pageOf } from '#server/core/paging.ts';
import { type InboxMessage, listInboxMessages, replyInInbox } from '#server/providers/inbox.ts';

/**
 * Lists the messages that a sandbox sent for this tenant, newest first: to its patients and to the caller. A
 * colleague's link sets that colleague's password, so only admins read others' messages, in a sandbox too. Messages
 * without a tenant are never listed.
 */
export async function listMessages(ctx: Context, input: ListMessagesInput): Promise<Page<MessageView>> {
  const { actor, config, tenantId } = ctx;
  requireStaff(actor, 'patients:write');
  if (config.environment !== 'sandbox') throw notFound('inbox');
  const sent = await listInboxMessages(config, tenantId);
  const isOwn = ({ staff }: InboxMessage) =>
    !staff || !isStaff(actor) || actor.permissions.has('team:manage') || staff === actor.userId;
  const own = sent.filter(isOwn);
  const page = pageOf(own.map(presentMessage).filter(matches(input.search ?? '')), { size: input.size });
  await recordRecipients(ctx, page.items);
  return page;
}

/** Adds the patients who received these messages to the audit log. */
async function recordRecipients({ db, tenantId, trail }: Context, messages: Pick<MessageView, 'to'>[]): Promise<void> {
  const to = messages.flatMap((message) => message.to);
  if (to.length === 0) return;
  const where = {
    tenantId,
    OR: [{ email: { in: to.map((address) => address.toLowerCase()) } }, { phoneNumber: { in: to } }],
  };
  for (const { id } of await db.patient.findMany({ where, select: { id: true } })) trail.patients.add(id);
}

function matches(search: string): (message: MessageView) => boolean {
  const words = search.toLowerCase().split(/\s+/);
  return ({ to, subject, text }) => {
    const content = [...to, subject, text].join(' ').toLowerCase();
    return words.every((word) => content.includes(word));
  };
}

/** Excludes digits of a URL, such as the instant at the start of a visit link's fragment. */
const CODE = /(?<![\w+.#/=-])(?:\d{6}|\d{10})(?![\w-]|\.\w)/;
/** Returns the one-time code in a message's text, or null. */
export const codeIn = (text: string): string | null => CODE.exec(text)?.[0] ?? null;

function presentMessage({ id, kind, receivedAt, from, to, subject, text }: InboxMessage): MessageView {
  return {
    id,
    kind,
    received_at: receivedAt,
    from,
    to,
    subject: kind === 'email' ? subject : null,
    text: text.trim(),
    code: codeIn(text),
  };
}

/**
 * Replies to a text message that a sandbox sent for this clinic, as its patient would, to try STOP, START and HELP.
 * @throws `not_found` outside of a sandbox, and for a message that is not this clinic's text message
 */
export async function replyToMessage(ctx: Context, input: ReplyInput): Promise<void> {
  const { actor, config, tenantId } = ctx;
  requireStaff(actor, 'patients:write');
  if (config.environment !== 'sandbox') throw notFound('inbox');
  const sent = await listInboxMessages(config, tenantId);
  const text = sent.find(({ id, kind }) => id === input.id && kind === 'sms');
  if (!text) throw notFound('text message');
  await recordRecipients(ctx, [text]);
  await replyInInbox(config, input);
}
