import type { Finding } from './integrations.ts';
import type { IceServer } from './visit-call.ts';

/** Portal: which servers this deployment's video visits have, and what they lack. */
export type VideoServersView = {
  /** Where visits take place when that is another's page; null: at ours. */
  elsewhere: string | null;
  /** STUN and TURN, as the settings name them. */
  servers: string[];
  findings: Finding[];
};

/** Portal: how each answered the service, and what a browser needs to try for itself; its credentials end in minutes. */
export type VideoCheckView = {
  servers: { url: string; works: boolean; words: string }[];
  findings: Finding[];
  ice_servers: IceServer[];
};
