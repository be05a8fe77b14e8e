import type { RoomView, SignalView } from '#contract/visit-call.ts';
import type { Services } from '#server/core/context.ts';
import { HERE_WITHIN_S } from '../present.ts';
import type { Seated } from './find-seat.ts';
import { readRoom } from './read-room.ts';
import { forgetRead, readSignals } from './signals.ts';

/** So often a seat looks for what it was not told. */
const BEAT_MS = 5_000;
/** Beats. */
const FORGET_EVERY = 12;
/** So often page and proxies see that somebody is there, which the page answers. */
const PING_MS = 5_000;
/** A reader who takes nothing for so long has gone, or asks anew. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * What a seat is told, as server-sent events: `room` at once and whenever it is another, and each `signal` after `after`
 * with its seq as id. Ends after the last word to a seat that was left.
 */
export async function followCall(services: Services, seat: Seated, after: number): Promise<ReadableStream<Uint8Array>> {
  const { tenantId, appointmentId, id } = seat;
  const { calls } = services;
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  let last = after;
  let shown = '';
  /** One after the other; what is told meanwhile is looked for once more. */
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
      // Whoever read it is gone.
    }
    if (!calls.isFollowed(tenantId, appointmentId, id)) void noteAway(services, seat);
  };
  const send = (text: string) => {
    if (isOver || !controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) <= 0) end();
  };

  async function work(): Promise<void> {
    while (!isOver && (due.room || due.signals)) {
      const { room } = due;
      let { signals } = due;
      Object.assign(due, { room: false, signals: false });
      // The room first: a signal of a seat that the page does not know yet would be dropped.
      if (room) {
        const told = await readRoom(services, seat);
        showRoom(told.view);
        if (told.isOver) return end();
        signals ||= told.lastSignal > last;
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
  function look(what: Partial<typeof due>): void {
    Object.assign(due, what);
    if (isWorking) return;
    isWorking = true;
    work()
      .catch((error: Error) => {
        services.log.warn({ tenantId, err: error.message }, 'a call could not be followed');
        end();
      })
      .finally(() => {
        isWorking = false;
        if (!isOver && (due.room || due.signals)) look({});
      });
  }

  let beats = 0;
  const beat = setInterval(() => {
    beats += 1;
    if (beats % FORGET_EVERY === 0) forgetRead(services, seat, id).catch(() => undefined);
    look({ room: true });
  }, BEAT_MS).unref();
  const ping = setInterval(() => send(':\n\n'), PING_MS).unref();
  let following: ReturnType<typeof calls.follow> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
      },
      cancel() {
        controller = null;
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
  );
  // Something at once, so that the page knows that it is open.
  send(':\n\n');
  try {
    following = calls.follow(tenantId, appointmentId, {
      seatId: id,
      room: () => look({ room: true }),
      signals: () => look({ signals: true }),
      end,
    });
    // Told at once that nothing more will come.
    if (isOver) following.stop();
    await following.ready;
    if (await noteHere(services, seat)) calls.tell(tenantId, appointmentId);
    look({ room: true, signals: true });
    return stream;
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Notes that the page was heard of: as it opens its stream, and as it answers what comes by it. That we go on writing says
 * nothing, for a device that died takes what is written for a quarter of an hour. Whether somebody still sits there.
 */
export async function noteHere({ database }: Services, { tenantId, id }: Seated): Promise<boolean> {
  return (
    (await database.forTenant(tenantId).$executeRaw`
      update visit_seats set heard_at = clock_timestamp()
      where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and left_at is null`) > 0
  );
}

/** Whoever followed is not there at the moment, which the other side is to know before the time for it is over. */
async function noteAway({ database, calls, log }: Services, { tenantId, appointmentId, id }: Seated): Promise<void> {
  try {
    await database.forTenant(tenantId).$executeRaw`
      update visit_seats
      set heard_at = least(heard_at, clock_timestamp() - ${HERE_WITHIN_S + 1}::int * interval '1 second')
      where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and left_at is null`;
    calls.tell(tenantId, appointmentId);
  } catch (error) {
    log.warn({ tenantId, err: (error as Error).message }, 'a seat could not be noted as away');
  }
}
