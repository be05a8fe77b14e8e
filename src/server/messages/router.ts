import { ListMessagesInput, ReplyInput } from '#contract/inbox.ts';
import { patientData, router } from '../core/trpc.ts';
import { listMessages, replyToMessage } from './inbox.ts';

/** The Inbox page of the portal in a sandbox. */
export const inboxRouter = router({
  list: patientData('Message')
    .input(ListMessagesInput)
    .query(({ ctx, input }) => listMessages(ctx, input)),
  reply: patientData('Message')
    .input(ReplyInput)
    .mutation(({ ctx, input }) => replyToMessage(ctx, input)),
});
