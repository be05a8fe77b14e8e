import { NoInput } from '#contract/patients.ts';
import { JobIdInput } from '#contract/system.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { listFailedJobs, retryJob } from './failed-jobs.ts';

/** The portal's System page. */
export const systemRouter = router({
  failedJobs: noPatient.input(NoInput.optional()).query(({ ctx }) => listFailedJobs(ctx)),
  retryJob: noPatient.input(JobIdInput).mutation(({ ctx, input }) => retryJob(ctx, input)),
});
