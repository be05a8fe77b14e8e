import type { Database } from '../core/db.ts';
import { newId } from '../core/ids.ts';

/** `kept` is the part of the calls that is reserved for bookings. */
export type TurnKind = 'read' | 'kept';
export type Turns = {
  /**
   * The first call may be sent in this many ms (or earlier, if negative), each other `1000 / perSecond` ms after the
   * previous.
   */
  waitMs: number;
  /** The number of processes that call, including this one. */
  processes: number;
};
export type TakeTurns = (kind: TurnKind, calls: number, perSecond: number) => Promise<Turns>;
/** Stops the calls of all processes for a while. */
export type Postpone = (ms: number) => Promise<void>;

/** Unused turns of the last moments may be made up for: one call, which the limit allows in addition to bookings. */
const CREDIT_MS = 125;
/** A process without a call for this long has ended, or does not need its share. */
const SEEN_SECONDS = 30;

/**
 * Distributes turns for calls to all processes, several per statement, on PostgreSQL's clock. The turns of a dead
 * process simply pass.
 */
export function createCallTurns(database: Pick<Database, 'system'>): { take: TakeTurns; putOff: Postpone } {
  const process = newId();
  return {
    async take(kind, calls, perSecond) {
      const span = (calls * 1000) / perSecond;
      const [turns] = await database.system.$queryRaw<Turns[]>`
        with seen as (
          insert into calling_processes (id, seen_at) values (${process}::uuid, clock_timestamp())
          on conflict (id) do update set seen_at = excluded.seen_at),
        taken as (
          insert into call_turns as t (kind, next_at)
          values (${kind}, clock_timestamp() + ${span}::float8 * interval '1 ms')
          on conflict (kind) do update
            set next_at = greatest(t.next_at, clock_timestamp() - ${CREDIT_MS} * interval '1 ms') + ${span}::float8 * interval '1 ms'
          returning next_at)
        select (extract(epoch from next_at - clock_timestamp()) * 1000 - ${span}::float8)::float8 as "waitMs",
          1 + (select count(*)::int from calling_processes
            where id <> ${process}::uuid and seen_at > now() - ${SEEN_SECONDS} * interval '1 second') as processes
        from taken`;
      return turns!;
    },
    async putOff(ms) {
      await database.system.$executeRaw`
        update call_turns set next_at = greatest(next_at, clock_timestamp() + ${ms}::float8 * interval '1 ms')
        where kind in ('read', 'kept')`;
    },
  };
}
