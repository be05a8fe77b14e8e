import { z } from 'zod';

/** Background work of the clinic that was tried for the last time and did not succeed. */
export type FailedJobView = {
  id: string;
  /** In words for people: what was to be done, and why it was not. Never what it was told: that may be a code. */
  what: string;
  why: string;
  attempts: number;
  queued_at: string;
  failed_at: string;
};

/** The last that failed, and how many there are in all. */
export type FailedJobsView = { jobs: FailedJobView[]; total: number };

/** A number of up to nineteen digits. */
export const JobIdInput = z.strictObject({ id: z.string().regex(/^[1-9]\d{0,17}$/, 'is not the id of a job') });
export type JobIdInput = z.infer<typeof JobIdInput>;
