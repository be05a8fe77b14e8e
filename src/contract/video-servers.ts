import type { Finding } from './integrations.ts';
import type { IceServer } from './visit-call.ts';

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
