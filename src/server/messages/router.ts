import { ListMessagesInput } from '#contract/inbox.ts';
import { procedure, router } from '../core/trpc.ts';
import { listMessages } from './list-messages.ts';

/** The portal's Inbox page, of a sandbox. */
export const inboxRouter = router({
  list: procedure.input(ListMessagesInput).query(({ ctx, input }) => listMessages(ctx, input)),
});
