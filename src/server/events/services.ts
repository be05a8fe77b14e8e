import type { Clock } from '#server/core/clock.ts';
import type { Config } from '#server/core/config.ts';
import type { Database } from '#server/core/db.ts';
import type { Logger } from '#server/core/log.ts';
import { createEar } from './ear.ts';
import { createFollowers } from './followers.ts';
import { createNumbering } from './numbering.ts';

type Given = { database: Database; config: Config; clock: Clock; log: Logger };

/** What events keep as long as the services live: who gives them numbers, and who waits for them. */
export function createEventServices({ database, config, clock, log }: Given) {
  const { directUrl, canListen } = config.database;
  const ear = canListen ? createEar({ url: directUrl, log }) : null;
  const followers = createFollowers({ database, clock, log, ear });
  const numbering = createNumbering({ database, log, onNumbered: followers.numberedHere });
  return {
    /** For others who tell each other by NOTIFY; null where nothing is heard. */
    ear,
    /** A transaction of this process that wrote events of this tenant is committed. */
    committed: numbering.nudge,
    /** For processes that serve or work: also finds what others left behind. */
    start: numbering.start,
    follow: followers.follow,
    recent: followers.recent,
    /** The process is about to end: whoever waits is answered at once. */
    letGo: followers.letGo,
    async close(): Promise<void> {
      await numbering.close();
      followers.close();
      await ear?.close();
    },
  };
}
