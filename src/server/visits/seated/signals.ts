import type { CallSignal, SendSignalInput, SignalView } from '#contract/visit-call.ts';
import type { Services } from '#server/core/context.ts';
import { apiError, type CarelaneError, rateLimited } from '#server/core/errors.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { ABANDONED_AFTER_S } from '../seat.ts';
import { HOSTS, openWindowBounds } from '../visit.ts';
import { findSeat, parseSeatKey, type SeatHolder } from './find-seat.ts';
import { readRoom } from './read-room.ts';

/** Maximum number of signals waiting for one seat. */
const MAX_WAITING = 500;
/** A following page has read them by then; a page that reconnects later starts a new call. */
const MAX_AGE_S = 120;
const RETRY_AFTER_S = 5;

const boundTo = (tenantId: string, toSeatId: string, id: string) => `visit_signals/${tenantId}/${toSeatId}/${id}/body`;

/**
 * Sends a signal to the other side; the same id counts once.
 *
 * @throws 401 without a seat key; 409 `conflict` when the seat was vacated, no patient was admitted, or the other seat
 * is gone; 429 beyond what a browser sends.
 */
export async function sendSignal(
  services: Services,
  authorization: string | null,
  { id, to_seat_id, signal }: SendSignalInput,
): Promise<void> {
  const { tenantId, keyHash } = parseSeatKey(services, authorization);
  assertRateLimit(services, { name: 'visit_signals', key: [Buffer.from(keyHash).toString('base64url')] });
  const body = services.cipher.seal(JSON.stringify(signal), boundTo(tenantId, to_seat_id, id));
  const { opens, closes } = openWindowBounds(services.clock.now());
  // The number is drawn under the lock of the receiving seat, so that no reader sees a later one first.
  const [sent] = await services.database.forTenant(tenantId).$queryRaw<{ appointment_id: string; is_new: boolean }[]>`
    with own as (
      select seat.id, seat.side, seat.appointment_id, seat.admitted_at
      from visit_seats as seat
      join appointments as appointment on appointment.tenant_id = seat.tenant_id and appointment.id = seat.appointment_id
      where seat.tenant_id = ${tenantId}::uuid and seat.key_hash = ${keyHash}::bytea and seat.left_at is null
        and appointment.status = 'scheduled' and appointment.start_at <= ${opens}::timestamptz
        and appointment.end_at > ${closes}::timestamptz
        and not exists (select from staff_users as person where person.tenant_id = seat.tenant_id
          and person.id = seat.staff_id and (person.disabled_at is not null or person.role <> all(${HOSTS}::text[])))
    ), other as (
      update visit_seats as seat set last_signal = last_signal + 1 from own
      where seat.tenant_id = ${tenantId}::uuid and seat.id = ${to_seat_id}::uuid and seat.left_at is null
        and seat.appointment_id = own.appointment_id and seat.side <> own.side
        and seat.heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'
        and coalesce(seat.admitted_at, own.admitted_at) is not null
        and (select count(*) from (select from visit_signals
          where tenant_id = ${tenantId}::uuid and to_seat_id = ${to_seat_id}::uuid limit ${MAX_WAITING}) as waiting
        ) < ${MAX_WAITING}
      returning seat.last_signal, own.id as from_seat_id, own.appointment_id
    ), inserted as (
      insert into visit_signals (tenant_id, to_seat_id, seq, id, from_seat_id, body, created_at)
      select ${tenantId}::uuid, ${to_seat_id}::uuid, last_signal, ${id}::uuid, from_seat_id, ${body}::bytea,
        clock_timestamp()
      from other on conflict (tenant_id, from_seat_id, id) do nothing returning seq
    )
    select appointment_id::text, exists (select from inserted) as is_new from other`;
  if (!sent) throw await signalError(services, await findSeat(services, authorization), to_seat_id);
  if (sent.is_new) services.calls.notify(tenantId, sent.appointment_id, to_seat_id);
}

/** Returns the error for a rejected signal, for the holder of a valid key. */
async function signalError(services: Services, seat: SeatHolder, toSeatId: string): Promise<CarelaneError> {
  const { view } = await readRoom(services, seat);
  const meta = { state: view.state };
  if (seat.hasLeft || view.state !== 'open') return apiError('conflict', 'This seat is not in an open room.', { meta });
  if (view.other_seat_id !== toSeatId)
    return apiError('conflict', 'The other side does not sit there.', { meta: { ...meta, gone: true } });
  await purgeSignals(services, seat, toSeatId);
  return rateLimited('Too much waits for the other side already.', RETRY_AFTER_S);
}

/** Returns the signals for this seat after `after`, in order. */
export async function readSignals(
  { database, cipher }: Pick<Services, 'database' | 'cipher'>,
  { tenantId, id }: Pick<SeatHolder, 'tenantId' | 'id'>,
  after: number,
): Promise<SignalView[]> {
  const rows = await database.forTenant(tenantId).visitSignal.findMany({
    where: { tenantId, toSeatId: id, seq: { gt: after } },
    orderBy: { seq: 'asc' },
    take: MAX_WAITING,
  });
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    from_seat_id: row.fromSeatId,
    signal: JSON.parse(cipher.open(row.body, boundTo(tenantId, id, row.id))) as CallSignal,
  }));
}

/** Deletes signals older than `MAX_AGE_S`, by the database's clock. */
export const purgeSignals = (
  { database }: Pick<Services, 'database'>,
  { tenantId }: Pick<SeatHolder, 'tenantId'>,
  toSeatId: string,
): Promise<number> => database.forTenant(tenantId).$executeRaw`
  delete from visit_signals where tenant_id = ${tenantId}::uuid and to_seat_id = ${toSeatId}::uuid
    and created_at < clock_timestamp() - ${MAX_AGE_S}::int * interval '1 second'`;
