import { z } from 'zod';

/** A background job of the clinic that failed permanently. */
export type FailedJobView = {
  id: string;
  /** For users: what the job was for, and why it failed. Never its input, which may contain a code. */
  what: string;
  why: string;
  attempts: number;
  queued_at: string;
  failed_at: string;
};

/** The latest failed jobs and their total number. */
export type FailedJobsView = { jobs: FailedJobView[]; total: number };

/** A positive 64-bit integer as text. */
export const JobIdInput = z.strictObject({ id: z.string().regex(/^[1-9]\d{0,17}$/, 'is not the id of a job') });
export type JobIdInput = z.infer<typeof JobIdInput>;
