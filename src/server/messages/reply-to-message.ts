import type { ReplyInput } from '#contract/inbox.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { listInboxMessages, replyInInbox } from '#server/providers/inbox.ts';
import { recordRecipients } from './list-messages.ts';

/**
 * Replies to a text message that a sandbox sent for this clinic, as its patient would, to try STOP, START and HELP.
 * @throws `not_found` outside of a sandbox, and for a message that is not this clinic's text message
 */
export async function replyToMessage(ctx: Context, input: ReplyInput): Promise<void> {
  const { actor, config, tenantId } = ctx;
  requireStaff(actor);
  if (config.environment !== 'sandbox') throw notFound('inbox');
  const sent = await listInboxMessages(config, tenantId);
  const text = sent.find(({ id, kind }) => id === input.id && kind === 'sms');
  if (!text) throw notFound('text message');
  await recordRecipients(ctx, [text]);
  await replyInInbox(config, input);
}
