import type { Clock } from '#server/core/clock.ts';
import type { Config } from '#server/core/config.ts';
import type { Database } from '#server/core/db.ts';
import type { Logger } from '#server/core/log.ts';
import { createFollowers } from './followers.ts';
import { createNumbering } from './numbering.ts';
import { createPgListener } from './pg-listener.ts';

type Dependencies = { database: Database; config: Config; clock: Clock; log: Logger };

/** The event services of a process: numbering and followers. */
export function createEventServices({ database, config, clock, log }: Dependencies) {
  const { directUrl, canListen } = config.database;
  const pgListener = canListen ? createPgListener({ url: directUrl, log }) : null;
  const followers = createFollowers({ database, clock, log, pgListener: pgListener });
  const numbering = createNumbering({ database, log, onNumbered: followers.numberedHere });
  return {
    /** For other NOTIFY channels; null when the database cannot be listened to. */
    pgListener: pgListener,
    /** Reports that a transaction of this process committed events of this tenant. */
    committed: numbering.nudge,
    /** For serving and working processes: also numbers events that crashed processes left behind. */
    start: numbering.start,
    follow: followers.follow,
    recent: followers.recent,
    /** Called at shutdown: all waiting requests get their response immediately. */
    endAll: followers.endAll,
    async close(): Promise<void> {
      await numbering.close();
      followers.close();
      await pgListener?.close();
    },
  };
}
