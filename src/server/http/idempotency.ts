import { credentialOf } from '../core/actor.ts';
import { MINUTE } from '../core/clock.ts';
import type { Context } from '../core/context.ts';
import { sha256 } from '../core/crypto.ts';
import { refuse } from '../core/errors.ts';
import type { DoorRequest, DoorResponse } from './wire.ts';

const KEY_TTL_HOURS = 24;
/** A request that has not answered by then died with its process; its key may be taken over. */
const LOCK_TTL = 2 * MINUTE;
const KEPT_HEADERS = ['content-type', 'location', 'link'];

type Row = { requestHash: string; status: number | null; headers: unknown; body: Uint8Array | null };

/** The caller's key, or null. Refused when empty or longer than 255 characters. */
export function readIdempotencyKey(request: DoorRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.header('idempotency-key');
  if (key === null) return null;
  if (key.length === 0 || key.length > 255 || !/^[\x20-\x7e]+$/.test(key))
    throw refuse('invalid_parameter', 'Idempotency-Key must be 1 to 255 printable ASCII characters.', {
      source: { parameter: 'Idempotency-Key' },
    });
  return key;
}

/**
 * Runs `work` once for each credential and key: the first answer is kept for 24 hours and given again. A 5xx answer is
 * not kept, so that the same request may be tried again.
 */
export async function once(
  ctx: Context,
  key: string,
  request: { method: string; path: string; query: string; body: string },
  work: () => Promise<DoorResponse>,
): Promise<DoorResponse> {
  const id = { tenantId: ctx.tenantId, credential: credentialOf(ctx.actor), key };
  const boundTo = `idempotency_keys/${ctx.tenantId}/${id.credential}/${key}`;
  const requestHash = sha256(JSON.stringify([request.method, request.path, request.query, request.body]));
  if (!(await claim(ctx, id, requestHash))) {
    const row: Row | null = await ctx.db.idempotencyKey.findFirst({ where: id });
    if (row && row.requestHash !== requestHash)
      throw refuse('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
        source: { parameter: 'Idempotency-Key' },
      });
    if (row?.status && row.body)
      return {
        status: row.status,
        headers: { ...(row.headers as Record<string, string>), 'idempotent-replayed': 'true' },
        body: ctx.cipher.open(row.body, boundTo),
      };
    throw refuse('idempotency_key_in_use', 'A request with this Idempotency-Key is still running; try again shortly.');
  }
  let answer: DoorResponse;
  try {
    answer = await work();
  } catch (error) {
    await ctx.db.idempotencyKey.deleteMany({ where: { ...id, status: null } });
    throw error;
  }
  if (answer.status >= 500) await ctx.db.idempotencyKey.deleteMany({ where: { ...id, status: null } });
  else
    await ctx.db.idempotencyKey.updateMany({
      where: { ...id, status: null },
      data: {
        status: answer.status,
        headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => KEPT_HEADERS.includes(name))),
        body: ctx.cipher.seal(answer.body ?? '', boundTo),
      },
    });
  return answer;
}

/** Whether the key is ours to run: new, older than a day, or left behind by a process that died. */
async function claim(ctx: Context, id: { tenantId: string; credential: string; key: string }, requestHash: string) {
  const now = ctx.clock.now();
  const expired = new Date(now.getTime() - KEY_TTL_HOURS * 60 * MINUTE);
  const abandoned = new Date(now.getTime() - LOCK_TTL);
  const rows = await ctx.db.$queryRaw<unknown[]>`
    insert into idempotency_keys as k (tenant_id, credential, key, request_hash, locked_at, created_at)
    values (${id.tenantId}::uuid, ${id.credential}, ${id.key}, ${requestHash}, ${now}, ${now})
    on conflict (tenant_id, credential, key) do update
      set request_hash = excluded.request_hash, locked_at = excluded.locked_at, created_at = excluded.created_at,
          status = null, headers = null, body = null
      where k.created_at < ${expired}
         or (k.status is null and k.locked_at < ${abandoned} and k.request_hash = excluded.request_hash)
    returning 1 as claimed`;
  return rows.length > 0;
}
