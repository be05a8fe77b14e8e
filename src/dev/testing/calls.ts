import type { CallSeatView, RoomView, SignalView } from '#contract/visit-call.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { newId, newLinkToken, newToken } from '#server/core/ids.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { createCaller } from '#server/router.ts';
import { asPractitioner } from './actors.ts';
import type { Clinic } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { makePatient } from './scheduling.ts';
import { testServices } from './services.ts';

const MINUTE_MS = 60_000;
const PASSWORD = 'correct horse battery';

export type Calls = Awaited<ReturnType<typeof withCalls>>;
type Side = 'one' | 'two';
/** A seat with the secret of the tab that holds it. */
export type HeldSeat = CallSeatView & { hold: string };

/** Adds video visits, served by two sets of services on one database. */
export async function withCalls({ database, services, settings, tenant, ctx, stop }: Clinic) {
  const second = testServices(database, settings);
  const servicesAt: Record<Side, Services> = { one: services, two: second };
  const servers = { one: await serveHandlers(servicesAt.one), two: await serveHandlers(servicesAt.two) };
  const { db } = ctx;

  async function makeAppointment(
    values: { startsIn?: number; calendarId?: number; birthDate?: string; of?: string } = {},
  ) {
    const patient = values.of ? { id: values.of } : await makePatient({ services, tenant });
    if (values.birthDate)
      await db.patient.updateMany({ where: { id: patient.id }, data: { birthDate: new Date(values.birthDate) } });
    const token = newLinkToken(tenant.id);
    const startAt = new Date(Date.now() + (values.startsIn ?? 0) * MINUTE_MS);
    const { id } = await db.appointment.create({
      data: {
        ...{ id: newId(), tenantId: tenant.id, patientId: patient.id, appointmentTypeId: 21 },
        ...{ appointmentType: 'Follow-up visit', calendarId: values.calendarId ?? 11, calendar: 'Rowan Example' },
        ...{ startAt, endAt: new Date(startAt.getTime() + 30 * MINUTE_MS), timeZone: 'America/New_York' },
        ...{ videoToken: token, status: 'scheduled' },
      },
    });
    return { id, token, patientId: patient.id };
  }
  /** Sends a request of a page behind a link. */
  const link = (name: string, body: object, at: Side = 'one') => post(`${servers[at].url}/api/links/${name}`, body);
  /** Enters as a new tab, with a new secret unless one is given. */
  const enter = async (token: string, more: object = {}, at: Side = 'one'): Promise<HeldSeat> => {
    const own = { hold: newToken(), ...more };
    const { status, body } = await link('visits.enter', { token, ...own }, at);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return { ...(body as CallSeatView), hold: own.hold };
  };
  const staff = async (email = `${newId()}@example.test`) => {
    const ctx = contextFor(services, { kind: 'system', tenantId: tenant.id, job: 'test' });
    const { id } = await createStaffUser(ctx, {
      email,
      name: 'Rowan Example',
      role: 'practitioner',
      password: PASSWORD,
    });
    return { id, at: (side: Side) => createCaller(asPractitioner(servicesAt[side], tenant, id)) };
  };
  const clientAt = (at: Side) => ({
    send: (seat: CallSeatView, to: string, signal: object, id = newId()) =>
      post(`${servers[at].url}/api/calls/signal`, { id, to_seat_id: to, signal }, seat.key),
    post: (name: string, body: object, key: string | null) => post(`${servers[at].url}/api/calls/${name}`, body, key),
    follow: (seat: Pick<CallSeatView, 'key'>, after?: number) => follow(servers[at].url, seat.key, after),
    /** Follows without heartbeats, like a device that died with its connection open. */
    hold: (seat: Pick<CallSeatView, 'key'>) => follow(servers[at].url, seat.key, undefined, false),
  });
  return {
    database,
    services,
    servicesAt,
    servers,
    tenant,
    db,
    makeAppointment,
    link,
    enter,
    staff,
    one: clientAt('one'),
    two: clientAt('two'),
    async stop() {
      for (const { stop } of Object.values(servers)) await stop();
      await second.close();
      await stop();
    },
  };
}

/** The context of a client that has only a link. */
export const asVisitor = (services: Services, tenantId: string): Context =>
  contextFor(services, { kind: 'visitor', tenantId });

export const DESCRIPTION = { kind: 'description', type: 'offer', sdp: 'v=0\r\n' } as const;
export const candidate = (text: string) => ({
  ...{ kind: 'candidate', candidate: text, sdp_mid: '0', sdp_m_line_index: 0, username_fragment: null },
});

async function post(url: string, body: object, key: string | null = null) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const parsed = text === '' ? null : JSON.parse(text);
  return { status: response.status, body: parsed, error: parsed?.errors?.[0] ?? null, headers: response.headers };
}

/** A page that follows a seat, with everything that it received. */
export async function follow(url: string, key: string, after?: number, sendsHeartbeats = true) {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/calls/stream`, {
    headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': String(after) }) },
    signal: leaving.signal,
  });
  const received = { text: '', isOver: false };
  const ended = (async () => {
    let lastHeartbeatAt = performance.now();
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      received.text += chunk;
      if (!sendsHeartbeats || performance.now() - lastHeartbeatAt < 4_000) continue;
      lastHeartbeatAt = performance.now();
      post(`${url}/api/calls/here`, {}, key).catch(() => {});
    }
  })()
    .catch(() => {})
    .finally(() => {
      received.isOver = true;
    });
  const dataOf = <Data>(event: string): Data[] =>
    [...received.text.matchAll(new RegExp(`^event: ${event}\n(?:id: .*\n)?data: (.*)$`, 'gm'))].map(([, json]) =>
      JSON.parse(json!),
    );
  return {
    response,
    received,
    ended,
    rooms: () => dataOf<RoomView>('room'),
    room: () => dataOf<RoomView>('room').at(-1),
    signals: () => dataOf<SignalView>('signal'),
    /** Counts the signals without parsing them: two hundred pages are polled all the time. */
    count: () => received.text.split('\nevent: signal\n').length - 1,
    leave: async () => {
      leaving.abort();
      await ended;
    },
  };
}
