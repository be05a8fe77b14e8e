import { NoInput } from '#contract/patients.ts';
import { JobIdInput } from '#contract/system.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { listFailedJobs, retryJob } from './failed-jobs.ts';
import { checkVideoServers, getVideoServers } from './video-servers.ts';

/** Procedures of the portal's System page, including its video servers. */
export const systemRouter = router({
  failedJobs: noPatient.input(NoInput.optional()).query(({ ctx }) => listFailedJobs(ctx)),
  retryJob: noPatient.input(JobIdInput).mutation(({ ctx, input }) => retryJob(ctx, input)),
  videoServers: noPatient.input(NoInput.optional()).query(({ ctx }) => getVideoServers(ctx)),
  // A mutation although it changes nothing, so that it only runs on request.
  checkVideo: noPatient.input(NoInput.optional()).mutation(({ ctx }) => checkVideoServers(ctx)),
});
