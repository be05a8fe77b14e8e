import type { Database } from '../core/db.ts';
import { newId } from '../core/ids.ts';

/** `kept` is the part of the calls that only bookings use. */
export type TurnKind = 'read' | 'kept';
export type Turns = {
  /** The first call may go out in so many ms (or might have, when negative), each other `1000 / perSecond` ms after the one before. */
  waitMs: number;
  /** How many processes call, this one among them. */
  processes: number;
};
export type TakeTurns = (kind: TurnKind, calls: number, perSecond: number) => Promise<Turns>;
/** Keeps every process from calling for a while. */
export type PutOff = (ms: number) => Promise<void>;

/** Turns that nobody took a moment ago are made good for: one call, which the limit leaves beside bookings. */
const CREDIT_MS = 125;
/** Who has not called for so long has ended, or does not need its share. */
const SEEN_SECONDS = 30;

/**
 * Moments at which calls may go out, given to all processes in turn by one statement for several of them, on PostgreSQL's
 * clock. A process that dies gives its own back by time: the moments pass.
 */
export function createCallTurns(database: Pick<Database, 'system'>): { take: TakeTurns; putOff: PutOff } {
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
