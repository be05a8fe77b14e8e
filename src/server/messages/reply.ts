import type { ReplyInput } from '#contract/inbox.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { readInbox, replyInInbox } from '#server/providers/inbox.ts';

/**
 * Writes back to a text that a sandbox sent for this clinic, as its patient would: to try what STOP, START and HELP do.
 * Errors: not_found outside of a sandbox, and for what is no text of this clinic's.
 */
export async function reply({ actor, config, tenantId }: Context, input: ReplyInput): Promise<void> {
  requireStaff(actor);
  if (config.environment !== 'sandbox') throw notFound('inbox');
  const sent = await readInbox(config, tenantId);
  if (!sent.some(({ id, kind }) => id === input.id && kind === 'sms')) throw notFound('text message');
  await replyInInbox(config, input);
}
