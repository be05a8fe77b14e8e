import { NoInput } from '#contract/patients.ts';
import { JobIdInput } from '#contract/system.ts';
import { procedure, router } from '#server/core/trpc.ts';
import { listFailedJobs, retryJob } from './failed-jobs.ts';

/** The portal's System page. */
export const systemRouter = router({
  failedJobs: procedure.input(NoInput.optional()).query(({ ctx }) => listFailedJobs(ctx)),
  retryJob: procedure.input(JobIdInput).mutation(({ ctx, input }) => retryJob(ctx, input)),
});
