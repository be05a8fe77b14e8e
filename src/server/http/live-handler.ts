import type { LiveChange } from '#contract/event-types.ts';
import type { Permission } from '#contract/roles.ts';
import { staffActor } from '#server/identity/index.ts';
import { isStaff, type StaffActor } from '../core/actor.ts';
import { SECOND } from '../core/clock.ts';
import type { Services } from '../core/context.ts';
import { apiError, serviceBusy } from '../core/errors.ts';
import { createHandler } from './create-handler.ts';
import type { Handler, HttpRequest, StreamResponse } from './handler.ts';
import { findStaff, isOwner, type StaffSession } from './staff-session.ts';

/** The heartbeat interval, for the page and for proxies; also the interval of the session check. */
const PING_MS = 10_000;
/** Per staff user: each browser has one stream, and a user may have several browsers. */
const MAX_STREAMS = 8;
const RETRY_AFTER_S = 30;
/** A stream with more unsent bytes ends: its reader is gone, or will reconnect. */
const MAX_BUFFERED_BYTES = 64 * 1024;
/** A page older than this refetches everything. */
const MAX_AGE_S = 3600;

/** Staff get no events of changes that they cannot see; what all roles see is not named. */
const NEEDS: Partial<Record<LiveChange['type'], Permission>> = { integration: 'settings:manage' };

/**
 * Streams changes by others to the portal's pages as server-sent events: each is a list of `LiveChange`, or `"all"` if
 * the missed changes are unknown. `age` is the age of the page's data in seconds, `user` its tenant and user. The stream
 * ends with the session and does not extend it: listening is not activity.
 */
export function createLiveHandler(services: Services): Handler<StreamResponse> {
  return createHandler(services, {
    name: 'live changes',
    methods: ['GET'],
    forPeople: true,
    async handle(request) {
      const { session, actor } = await admit(services, request);
      const body = await open(services, session, actor, ageOf(request));
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        // Some proxies would buffer the stream.
        'x-accel-buffering': 'no',
      };
      return { status: 200, headers, body };
    },
  });
}

async function admit(services: Services, request: HttpRequest): Promise<{ session: StaffSession; actor: StaffActor }> {
  // Only the cookie: the activity header of a page does not count here.
  const headers = { cookie: request.header('cookie') ?? '' };
  const staff = await findStaff(services, new Request(services.config.publicUrl, { headers }));
  if (!staff || !isOwner(staff.session, request.query.get('user')))
    throw apiError('missing_token', 'Sign in to go on.');
  const { session, actor } = staff;
  if (!isStaff(actor)) throw apiError('forbidden', 'Set up two-step sign-in first.');
  return { session, actor };
}

function ageOf({ query }: HttpRequest): number {
  const text = query.get('age') ?? '0';
  if (!/^\d{1,9}$/.test(text))
    throw apiError('invalid_parameter', 'age is a number of seconds.', { source: { parameter: 'age' } });
  return Number(text);
}

async function open(
  services: Services,
  session: StaffSession,
  actor: StaffActor,
  ageS: number,
): Promise<ReadableStream<Uint8Array>> {
  const { clock, events } = services;
  const { streams } = services.http;
  const { tenantId, userId } = session;
  const endsAt = clock.now().getTime() + session.endsInS * SECOND;
  const count = streams.get(userId) ?? 0;
  if (count >= MAX_STREAMS) throw serviceBusy('Too many of your pages are open already.', RETRY_AFTER_S);
  streams.set(userId, count + 1);

  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  let { permissions } = actor;
  /** Serializes the events: each is checked against the session at that time. */
  let sending = Promise.resolve();
  const encoder = new TextEncoder();

  const end = () => {
    if (isOver) return;
    isOver = true;
    subscription?.stop();
    clearInterval(ping);
    const remaining = (streams.get(userId) ?? 1) - 1;
    if (remaining > 0) streams.set(userId, remaining);
    else streams.delete(userId);
    controller?.close();
  };
  const send = (text: string) => {
    if (isOver || !controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) <= 0) end();
  };
  const sendChanges = (changes: LiveChange[] | 'all' | null) => {
    sending = sending
      .then(async () => {
        if (isOver) return;
        const now = clock.now().getTime() < endsAt ? await staffActor(services, session) : null;
        if (!now || !isStaff(now)) {
          // A revoked session gets `over`; if only the cookie's time is up, the page reconnects with a new cookie.
          if (clock.now().getTime() < endsAt) send('event: over\ndata: 1\n\n');
          return end();
        }
        permissions = now.permissions;
        if (changes === null) return send('event: alive\ndata: 1\n\n');
        const isShown = ({ type }: LiveChange) => {
          const needed = NEEDS[type];
          return !needed || permissions.has(needed);
        };
        const shown = changes === 'all' ? changes : changes.filter(isShown);
        if (shown.length > 0) send(`data: ${JSON.stringify(shown)}\n\n`);
      })
      .catch(end);
  };

  const ping = setInterval(() => sendChanges(null), PING_MS).unref();
  let subscription: ReturnType<typeof events.follow> | null = null;
  try {
    const stream = new ReadableStream<Uint8Array>(
      {
        start(opened) {
          controller = opened;
        },
        cancel() {
          controller = null;
          end();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
    );
    // An immediate comment shows the browser that the stream is open.
    send(':\n\n');
    subscription = events.follow(tenantId, {
      onEvents: (newEvents) => sendChanges(newEvents.map(presentChange)),
      onEnd: end,
    });
    if (isOver) return stream;
    await subscription.ready;
    const missed = ageS > MAX_AGE_S ? 'all' : await events.recent(tenantId, ageS * SECOND);
    sendChanges(missed === 'all' ? missed : missed.map(presentChange));
    return stream;
  } catch (error) {
    end();
    throw error;
  }
}

type EventSummary = Exclude<Awaited<ReturnType<Services['events']['recent']>>, 'all'>[number];

/** Identifies the changed record and its patient, without its content. */
const presentChange = ({ type, topic, objectId, patientId }: EventSummary): LiveChange => ({
  type,
  topic,
  object_id: objectId,
  patient_id: patientId,
});
