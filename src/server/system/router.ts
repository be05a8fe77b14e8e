import { NoInput } from '#contract/patients.ts';
import { JobIdInput } from '#contract/system.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { listFailedJobs, retryJob } from './failed-jobs.ts';
import { checkVideoServers, showVideoServers } from './video-servers.ts';

/** The portal's System page, and how its deployment's video servers do. */
export const systemRouter = router({
  failedJobs: noPatient.input(NoInput.optional()).query(({ ctx }) => listFailedJobs(ctx)),
  retryJob: noPatient.input(JobIdInput).mutation(({ ctx, input }) => retryJob(ctx, input)),
  videoServers: noPatient.input(NoInput.optional()).query(({ ctx }) => showVideoServers(ctx)),
  // Changes nothing, but is asked for by a press alone.
  checkVideo: noPatient.input(NoInput.optional()).mutation(({ ctx }) => checkVideoServers(ctx)),
});
