import { z } from 'zod';
import type { Finding } from './integrations.ts';
import type { IceServer } from './visit-call.ts';

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

/** Portal: the servers for video visits of this deployment, and their problems. */
export type VideoServersView = {
  /** The address of another video service, when visits take place there; null for the built-in one. */
  elsewhere: string | null;
  /** STUN and TURN URLs from the settings. */
  servers: string[];
  findings: Finding[];
};

/**
 * Portal: the result of the server's check of each URL, and what a browser needs for its own check; the credentials
 * expire in minutes.
 */
export type VideoCheckView = {
  servers: { url: string; works: boolean; words: string }[];
  findings: Finding[];
  ice_servers: IceServer[];
};
