import type { Page } from '#contract/conventions.ts';
import type { ListMessagesInput, MessageView } from '#contract/inbox.ts';
import { requireStaff } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { pageOf } from '../core/paging.ts';
import { type InboxMessage, readInbox } from '../providers/inbox.ts';
import { findOwnAddresses } from './find-own-addresses.ts';
import { presentMessage } from './present-message.ts';

/**
 * What a sandbox sent to this tenant's patients and staff, newest first. A message does not say for which tenant it
 * was sent, so others' are told by their recipients; a sandbox with a single tenant has no others and shows all.
 */
export async function listMessages(ctx: Context, input: ListMessagesInput): Promise<Page<MessageView>> {
  requireStaff(ctx.actor);
  if (ctx.config.environment !== 'sandbox') throw notFound('inbox');
  const own = await withoutColleagues(ctx, await ownMessages(ctx, await readInbox(ctx.config)));
  return pageOf(own.map(presentMessage).filter(matches(input.search ?? '')), { size: input.size });
}

async function ownMessages(ctx: Context, all: InboxMessage[]): Promise<InboxMessage[]> {
  const tenants = await ctx.database.tenantsOf('tenants');
  if (tenants.length === 1) return all;
  const own = await findOwnAddresses(
    ctx,
    all.flatMap(({ to }) => to),
  );
  return all.filter(({ to }) => to.some((address) => own.has(address.toLowerCase())));
}

/** A colleague's link sets that colleague's password: only administrators read others' mail, in a sandbox too. */
async function withoutColleagues(ctx: Context, messages: InboxMessage[]): Promise<InboxMessage[]> {
  const { actor, db, tenantId } = ctx;
  if (actor.kind !== 'practitioner') return messages;
  const staff = await db.staffUser.findMany({
    where: { tenantId, id: { not: actor.userId } },
    select: { email: true },
  });
  const colleagues = new Set(staff.map(({ email }) => email));
  return messages.filter(({ to }) => !to.some((address) => colleagues.has(address.toLowerCase())));
}

function matches(search: string): (message: MessageView) => boolean {
  const words = search.toLowerCase().split(/\s+/);
  return ({ to, subject, text }) => {
    const whole = [...to, subject, text].join(' ').toLowerCase();
    return words.every((word) => whole.includes(word));
  };
}
