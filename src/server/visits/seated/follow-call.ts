import type { RoomView, SignalView } from '#contract/visit-call.ts';
import type { Services } from '#server/core/context.ts';
import { PRESENT_WITHIN_S } from '../seat.ts';
import type { SeatHolder } from './find-seat.ts';
import { readRoom } from './read-room.ts';
import { purgeSignals, readSignals } from './signals.ts';

/** Interval at which a seat reads the room in case a notification was missed. */
const BEAT_MS = 5_000;
/** In beats of `BEAT_MS`. */
const PURGE_EVERY = 12;
/** Interval of the keep-alive comments that proxies see and the page acknowledges. */
const PING_MS = 5_000;
/** A reader with more unread bytes is disconnected and has to reconnect. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Streams the events of a seat as server-sent events: `room` at once and after each change, and each `signal` after
 * `after`, with its seq as id. Ends after the last event of a vacated seat.
 */
export async function followCall(
  services: Services,
  seat: SeatHolder,
  after: number,
): Promise<ReadableStream<Uint8Array>> {
  const { tenantId, appointmentId, id } = seat;
  const { calls } = services;
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  let last = after;
  let shown = '';
  /** Runs one read at a time; a notification during it causes another. */
  let isWorking = false;
  const due = { room: false, signals: false };

  const end = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(beat);
    clearInterval(ping);
    following?.stop();
    try {
      controller?.close();
    } catch {
      // The client has disconnected already.
    }
    if (!calls.isFollowed(tenantId, appointmentId, id)) void markAway(services, seat);
  };
  const send = (text: string) => {
    if (isOver || !controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) <= 0) end();
  };

  async function readDue(): Promise<void> {
    while (!isOver && (due.room || due.signals)) {
      const { room } = due;
      let { signals } = due;
      Object.assign(due, { room: false, signals: false });
      // The room first: the page would drop a signal from a seat that it does not know yet.
      if (room) {
        const state = await readRoom(services, seat);
        showRoom(state.view);
        if (state.isOver) return end();
        signals ||= state.lastSignal > last;
      }
      if (signals)
        for (const signal of await readSignals(services, seat, last)) {
          last = signal.seq;
          sendSignal(signal);
        }
    }
  }
  function showRoom(view: RoomView): void {
    const { now: _, ...rest } = view;
    const text = JSON.stringify(rest);
    if (text === shown) return;
    shown = text;
    send(`event: room\ndata: ${JSON.stringify(view)}\n\n`);
  }
  const sendSignal = (signal: SignalView) =>
    send(`event: signal\nid: ${signal.seq}\ndata: ${JSON.stringify(signal)}\n\n`);
  function schedule(what: Partial<typeof due>): void {
    Object.assign(due, what);
    if (isWorking) return;
    isWorking = true;
    readDue()
      .catch((error: Error) => {
        services.log.warn({ tenantId, err: error.message }, 'a call could not be followed');
        end();
      })
      .finally(() => {
        isWorking = false;
        if (!isOver && (due.room || due.signals)) schedule({});
      });
  }

  let beats = 0;
  const beat = setInterval(() => {
    beats += 1;
    if (beats % PURGE_EVERY === 0) purgeSignals(services, seat, id).catch(() => undefined);
    schedule({ room: true });
  }, BEAT_MS).unref();
  const ping = setInterval(() => send(':\n\n'), PING_MS).unref();
  let following: ReturnType<typeof calls.follow> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created;
      },
      cancel() {
        controller = null;
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
  // Sent at once, so that the page knows that the stream is open.
  send(':\n\n');
  try {
    following = calls.follow(tenantId, appointmentId, {
      seatId: id,
      room: () => schedule({ room: true }),
      signals: () => schedule({ signals: true }),
      end,
    });
    // The follower ended during `follow`.
    if (isOver) following.stop();
    await following.ready;
    if (await recordHeartbeat(services, seat)) calls.notify(tenantId, appointmentId);
    schedule({ room: true, signals: true });
    return stream;
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Records a heartbeat of the page, when it opens its stream and when it acknowledges a keep-alive. Successful writes
 * prove nothing: a dead device's connection accepts them for up to a quarter of an hour. Returns false for a vacated
 * seat.
 */
export async function recordHeartbeat({ database }: Services, { tenantId, id }: SeatHolder): Promise<boolean> {
  return (
    (await database.forTenant(tenantId).$executeRaw`
      update visit_seats set heard_at = clock_timestamp()
      where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and left_at is null`) > 0
  );
}

/** Marks the seat as away, so that the other side knows before the heartbeat expires. */
async function markAway(
  { database, calls, log }: Services,
  { tenantId, appointmentId, id }: SeatHolder,
): Promise<void> {
  try {
    await database.forTenant(tenantId).$executeRaw`
      update visit_seats
      set heard_at = least(heard_at, clock_timestamp() - ${PRESENT_WITHIN_S + 1}::int * interval '1 second')
      where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and left_at is null`;
    calls.notify(tenantId, appointmentId);
  } catch (error) {
    log.warn({ tenantId, err: (error as Error).message }, 'a seat could not be noted as away');
  }
}
