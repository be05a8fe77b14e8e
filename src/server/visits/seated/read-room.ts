import type { CallSide, OtherSide, RoomState, RoomView } from '#contract/visit-call.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { ABANDONED_AFTER_S, PRESENT_WITHIN_S } from '../seat.ts';
import { HOSTS, windowOf } from '../visit.ts';
import type { SeatHolder } from './find-seat.ts';

type RoomRow = {
  side: CallSide;
  last_signal: number;
  why_left: 'left' | 'taken' | 'exchanged' | 'ended' | null;
  is_admitted: boolean;
  is_staff_gone: boolean;
  status: string;
  start_at: Date;
  end_at: Date;
  calendar_id: number;
  other_id: string | null;
  /** Seconds since the other seat's last heartbeat. */
  other_silent_seconds: number | null;
};

type Room = {
  view: RoomView;
  /** The state is final. */
  isOver: boolean;
  /** The number of the last signal sent to the seat. */
  lastSignal: number;
};

/** Reads the state of the room for a seat. */
export async function readRoom(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { id, tenantId, appointmentId }: Pick<SeatHolder, 'id' | 'tenantId' | 'appointmentId'>,
): Promise<Room> {
  const db = database.forTenant(tenantId);
  const [row] = await db.$queryRaw<RoomRow[]>`
    select own.side, own.last_signal, own.why_left, appointment.status, appointment.start_at, appointment.end_at,
      appointment.calendar_id,
      (case own.side when 'patient' then own.admitted_at else other.admitted_at end) is not null as is_admitted,
      exists (select from staff_users as person where person.tenant_id = ${tenantId}::uuid and person.id = own.staff_id
        and (person.disabled_at is not null or person.role <> all(${HOSTS}::text[]))) as is_staff_gone,
      other.id::text as other_id, extract(epoch from clock_timestamp() - other.heard_at)::float8 as other_silent_seconds
    from visit_seats as own
    join appointments as appointment on appointment.tenant_id = own.tenant_id and appointment.id = own.appointment_id
    left join visit_seats as other on other.tenant_id = own.tenant_id and other.appointment_id = own.appointment_id
      and other.side <> own.side and other.left_at is null
      and other.heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'
      and not exists (select from staff_users as person where person.tenant_id = other.tenant_id
        and person.id = other.staff_id and (person.disabled_at is not null or person.role <> all(${HOSTS}::text[])))
    where own.tenant_id = ${tenantId}::uuid and own.id = ${id}::uuid and own.appointment_id = ${appointmentId}::uuid`;
  const now = clock.now();
  if (!row) return { view: withoutSeat(now), isOver: true, lastSignal: 0 };
  const { closesAt } = windowOf({ startAt: row.start_at, endAt: row.end_at });
  const state = stateOf(row, now);
  const queue =
    row.side === 'patient' && state === 'waiting' ? await readQueue(db, { tenantId, now, ...row }) : NO_QUEUE;
  const isOver = row.why_left !== null || row.is_staff_gone || row.status !== 'scheduled';
  const view: RoomView = {
    state,
    other: isOver ? 'absent' : otherOf(row),
    other_seat_id: isOver ? null : row.other_id,
    ...queue,
    closes_at: closesAt.toISOString(),
    now: now.toISOString(),
  };
  return { view, isOver, lastSignal: row.last_signal };
}

const WHY: Record<NonNullable<RoomRow['why_left']>, RoomState> = {
  left: 'closed',
  taken: 'taken',
  exchanged: 'closed',
  ended: 'over',
};

export function stateOf(
  row: Pick<RoomRow, 'status' | 'why_left' | 'is_staff_gone' | 'start_at' | 'end_at' | 'is_admitted'>,
  now: Date,
): RoomState {
  if (row.status === 'canceled') return 'canceled';
  if (row.why_left) return WHY[row.why_left];
  const { opensAt, closesAt } = windowOf({ startAt: row.start_at, endAt: row.end_at });
  // A no-show closes the room as well.
  if (row.status !== 'scheduled' || row.is_staff_gone || now < opensAt || now >= closesAt) return 'closed';
  return row.is_admitted ? 'open' : 'waiting';
}

const otherOf = ({ other_id, other_silent_seconds }: RoomRow): OtherSide =>
  other_id === null ? 'absent' : (other_silent_seconds ?? 0) <= PRESENT_WITHIN_S ? 'here' : 'away';

const NO_QUEUE = { before_you: null, delay_minutes: null };

/**
 * Reads how many patients of the same calendar wait before this one, and by how many minutes the current call is late.
 */
async function readQueue(
  db: ReturnType<Services['database']['forTenant']>,
  { tenantId, calendar_id, start_at, now }: { tenantId: string; calendar_id: number; start_at: Date; now: Date },
): Promise<Pick<RoomView, 'before_you' | 'delay_minutes'>> {
  const [queue] = await db.$queryRaw<{ before: number; running_until: Date | null }[]>`
    select count(*) filter (where seat.admitted_at is null)::int as before,
      min(appointment.end_at) filter (where seat.admitted_at is not null) as running_until
    from visit_seats as seat
    join appointments as appointment on appointment.tenant_id = seat.tenant_id and appointment.id = seat.appointment_id
    where seat.tenant_id = ${tenantId}::uuid and seat.side = 'patient' and seat.left_at is null
      and seat.heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'
      and appointment.calendar_id = ${calendar_id} and appointment.status = 'scheduled'
      and appointment.start_at < ${start_at}::timestamptz`;
  const until = queue?.running_until;
  return {
    before_you: queue?.before ?? 0,
    delay_minutes: until ? Math.max(0, Math.ceil((now.getTime() - until.getTime()) / MINUTE)) : null,
  };
}

/** The state when the seat no longer exists. */
const withoutSeat = (now: Date): RoomView => ({
  state: 'closed',
  other: 'absent',
  other_seat_id: null,
  ...NO_QUEUE,
  closes_at: now.toISOString(),
  now: now.toISOString(),
});
