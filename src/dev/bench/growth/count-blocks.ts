import type pg from 'pg';
import { type Db, Prisma } from '#server/core/db.ts';

/** PostgreSQL chooses between a plan for the values and a general one when a statement has run five times. */
const WARM_UPS = 6;

/**
 * Returns the number of blocks of tables, indexes and TOAST that a call touches, cached or not, including those that
 * PostgreSQL reads to plan its statements.
 * @param db a client with one connection, which nothing else uses
 */
export async function countBlocks(owner: pg.Client, db: Db, call: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < WARM_UPS; n += 1) await call();
  const before = await touchedBlocks(owner, db);
  await call();
  return (await touchedBlocks(owner, db)) - before;
}

async function touchedBlocks(owner: pg.Client, db: Db): Promise<number> {
  // A backend reports its counts at most once a second, unless asked.
  await db.$query(Prisma.sql`select pg_stat_force_next_flush()::text`);
  const { rows } = await owner.query<{ blocks: number }>(
    `select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
       + coalesce(toast_blks_read + toast_blks_hit, 0) + coalesce(tidx_blks_read + tidx_blks_hit, 0))::float8 as blocks
     from pg_statio_user_tables`,
  );
  return rows[0]!.blocks;
}
