import type { Page } from '#contract/conventions.ts';
import type { ListMessagesInput, MessageView } from '#contract/inbox.ts';
import { requireStaff } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { pageOf } from '../core/paging.ts';
import { readInbox } from '../providers/inbox.ts';
import { presentMessage } from './present-message.ts';

/**
 * What a sandbox sent for this tenant, newest first: to its patients, and to who asks. A colleague's link sets that
 * colleague's password, so only administrators read others' mail, in a sandbox too. What does not say for whom it was
 * sent is shown to nobody.
 */
export async function listMessages(ctx: Context, input: ListMessagesInput): Promise<Page<MessageView>> {
  const { actor, config, tenantId } = ctx;
  requireStaff(actor);
  if (config.environment !== 'sandbox') throw notFound('inbox');
  const sent = await readInbox(config, tenantId);
  const own = sent.filter(({ staff }) => !staff || actor.kind !== 'practitioner' || staff === actor.userId);
  return pageOf(own.map(presentMessage).filter(matches(input.search ?? '')), { size: input.size });
}

function matches(search: string): (message: MessageView) => boolean {
  const words = search.toLowerCase().split(/\s+/);
  return ({ to, subject, text }) => {
    const whole = [...to, subject, text].join(' ').toLowerCase();
    return words.every((word) => whole.includes(word));
  };
}
