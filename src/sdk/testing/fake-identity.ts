import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeProofs, type Registered, type SignUp } from './fake-proofs.ts';
import { createFakeWork } from './fake-work.ts';
import { ACCEPTED, DONE, errorReply, ok, type Reply, SENT } from './replies.ts';

/** A user of the fake server. */
type Person = {
  id: string;
  email: string | null;
  phone: string | null;
  isConfirmed: boolean;
  attributes: object;
  srp?: Registered;
  /** The sign-ups of each device, by attempt; `resets` has the attempts of reset requests. */
  signUps: Map<string, SignUp>;
  resets: Set<string>;
  invitation?: 'open' | 'expired';
  pendingEmail?: string;
  pendingPhone?: string;
};

type Body = Record<string, never> & Record<string, string> & { srp: Registered; attributes: object };
type Session = {
  person: Person;
  access: Set<string>;
  refresh: string[];
  graceUntil: number;
  last?: object;
  endsAt: number;
};

export const CODE = '424242';
const HOUR_MS = 3600_000;

/** An in-memory auth server that follows the protocol page; tests control its failures and its clock. */
export async function startFakeIdentity() {
  const people: Person[] = [];
  const sessions: Session[] = [];
  const challenges = new Map<string, { person: Person; used?: { key: string | undefined; body: object } }>();
  const proofs = fakeProofs<Person>();
  const continuations = new Map<string, Person>();
  /** The secrets of devices, with their users. */
  const devices = new Map<string, Person>();
  const requests: { path: string; body: Body; bearer: string | undefined }[] = [];
  const work = createFakeWork();
  const control = {
    /** Milliseconds between this clock and the machine's. */
    aheadMs: 0,
    isDown: false,
    /** Paths whose next response is lost after the request was processed, one per entry. */
    losses: [] as string[],
    /** Difficulty of the proof of work for a code; 0 for none. */
    workBits: 0,
    /** Responses to send instead, by path. */
    instead: {} as Record<string, Reply>,
    delayMs: 0,
    /** Changes a response before it is sent. */
    tamper: null as null | ((path: string, body: Record<string, unknown>) => void),
  };
  const now = () => Date.now() + control.aheadMs;
  const byEmail = (email: string | undefined) => people.find((person) => person.email === email);
  const add = (person: Partial<Person>): Person => {
    const defaults = {
      email: null,
      phone: null,
      isConfirmed: false,
      attributes: {},
      signUps: new Map(),
      resets: new Set<string>(),
    };
    const added = { id: randomUUID(), ...defaults, ...person };
    people.push(added);
    return added;
  };
  const userOf = ({ id, email, phone, isConfirmed, srp }: Person) => ({
    user_id: id,
    username: id,
    user_type: 'Patient',
    tenant_id: 'tenant-1',
    email,
    email_verified: email !== null && isConfirmed,
    phone_number: phone,
    phone_number_verified: phone !== null && isConfirmed,
    has_password: srp !== undefined,
    groups: ['patients'],
  });
  function tokens(session: Session) {
    const seconds = Math.floor(now() / 1000);
    const claims = { iat: seconds, exp: seconds + 3600, jti: randomUUID() };
    const access_token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
    const refresh_token = randomUUID();
    session.access.add(access_token);
    session.refresh.push(refresh_token);
    session.graceUntil = now() + 30_000;
    session.last = {
      access_token,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token,
      refresh_expires_at: new Date(session.endsAt).toISOString(),
      user: userOf(session.person),
    };
    return session.last;
  }
  const isKnownDevice = (person: Person, { device }: Body) => devices.get(device!) === person;
  function beginSession(person: Person, body: Body) {
    const session = {
      person,
      access: new Set<string>(),
      refresh: [],
      graceUntil: 0,
      endsAt: now() + 30 * 24 * HOUR_MS,
    };
    sessions.push(session);
    const issued = tokens(session);
    if (isKnownDevice(person, body)) return issued;
    const device = randomUUID();
    devices.set(device, person);
    return { ...issued, device };
  }
  const endSession = (session: Session) => sessions.splice(sessions.indexOf(session), 1);
  const prove = ({ handshake, M1 }: Body) => {
    const proof = proofs.prove(handshake, M1);
    return proof || (proof === null ? errorReply(409, 'expired_handshake') : errorReply(401, 'invalid_credentials'));
  };
  const isRightCode = (body: Body) => body.code === CODE;

  const publicRoutes: Record<string, (body: Body, request: IncomingMessage) => Reply> = {
    'POST /passwordless/sign_up': ({ phone_number, attributes }) => {
      if (!people.some(({ phone }) => phone === phone_number))
        add({ phone: phone_number!, attributes, isConfirmed: true });
      return ACCEPTED;
    },
    'POST /passwordless/sign_in': ({ phone_number }) => {
      const challenge = randomUUID();
      const person = people.find(({ phone }) => phone === phone_number);
      if (person) challenges.set(challenge, { person });
      return ok({ challenge, expires_in: 300, resend_after: 30 });
    },
    'POST /passwordless/complete': (body, request) => {
      const challenge = challenges.get(body.challenge!);
      const key = request.headers['idempotency-key'] as string | undefined;
      if (!challenge || !isRightCode(body)) return errorReply(422, 'invalid_code');
      if (challenge.used && challenge.used.key !== key) return errorReply(422, 'invalid_code');
      challenge.used ??= { key, body: beginSession(challenge.person, body) };
      return ok(challenge.used.body);
    },
    'POST /credentials/sign_up': ({ email, srp, attributes, attempt }) => {
      const person = byEmail(email) ?? add({ email: email!, attributes });
      if (!person.isConfirmed) person.signUps.set(attempt!, { srp, attributes });
      return SENT;
    },
    'POST /credentials/confirm': (body) => {
      const person = byEmail(body.email);
      const signUp = person?.signUps.get(body.attempt!);
      if (!person || !signUp || !isRightCode(body)) return errorReply(422, 'invalid_code');
      if (!person.isConfirmed) Object.assign(person, signUp, { isConfirmed: true });
      return DONE;
    },
    'POST /credentials/resend': () => SENT,
    'POST /credentials/srp/start': ({ email, A, attempt }) => ok(proofs.start(byEmail(email), A!, attempt)),
    'POST /credentials/srp/finish': (body) => {
      const proof = prove(body);
      if ('status' in proof) return proof;
      const { person, M2, signUp, attempt } = proof;
      if (signUp) person.signUps.set(attempt!, signUp);
      if (attempt) return signUp ? errorReply(403, 'account_not_confirmed') : errorReply(401, 'invalid_credentials');
      if (person.invitation === 'expired') return errorReply(403, 'invitation_expired');
      if (person.invitation === 'open') {
        const continuation = randomUUID();
        continuations.set(continuation, person);
        return ok({ new_password_required: true, continuation, expires_in: 120, M2 });
      }
      return person.isConfirmed ? ok({ ...beginSession(person, body), M2 }) : errorReply(403, 'account_not_confirmed');
    },
    'POST /credentials/complete_invitation': (body) => {
      const { continuation, srp } = body;
      const person = continuations.get(continuation!);
      if (!person) return errorReply(409, 'expired_handshake');
      continuations.delete(continuation!);
      delete person.invitation;
      Object.assign(person, { srp, isConfirmed: true });
      return ok(beginSession(person, body));
    },
    'POST /credentials/reset': ({ email, attempt }) => {
      byEmail(email)?.resets.add(attempt!);
      return SENT;
    },
    'POST /credentials/reset/complete': (body) => {
      const person = byEmail(body.email);
      if (!person?.resets.has(body.attempt!) || !isRightCode(body)) return errorReply(422, 'invalid_code');
      person.srp = body.srp;
      return DONE;
    },
    'POST /oauth2/token': (body) => {
      const session = sessions.find(({ refresh }) => refresh.includes(body.refresh_token!));
      if (!session || session.endsAt < now())
        return { status: 400, body: { error: 'invalid_grant', error_description: 'No.' } };
      if (session.refresh.at(-1) === body.refresh_token) return ok(tokens(session));
      if (session.refresh.at(-2) === body.refresh_token && now() < session.graceUntil) return ok(session.last!);
      endSession(session);
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Used before.' } };
    },
    'POST /oauth2/revoke': ({ token }) => {
      const session = sessions.find(({ refresh }) => refresh.includes(token!));
      if (session) endSession(session);
      return { status: 200 };
    },
  };
  /** A token alone does not change an address. */
  const onKnownDevice =
    (change: (body: Body, person: Person) => Reply) =>
    (body: Body, { person }: Session): Reply =>
      isKnownDevice(person, body) ? change(body, person) : errorReply(403, 'proof_required');
  const userRoutes: Record<string, (body: Body, session: Session) => Reply> = {
    'POST /user/sign_out': (_, session) => {
      endSession(session);
      return DONE;
    },
    'PATCH /user/email': onKnownDevice(({ email }, person) => {
      person.pendingEmail = email!;
      return SENT;
    }),
    'POST /user/email/verify': onKnownDevice((body, person) => {
      if (!isRightCode(body) || !person.pendingEmail) return errorReply(422, 'invalid_code');
      person.email = person.pendingEmail;
      return ok(userOf(person));
    }),
    'PATCH /user/phone': onKnownDevice(({ phone_number }, person) => {
      person.pendingPhone = phone_number!;
      return SENT;
    }),
    'POST /user/phone/verify': onKnownDevice((body, person) => {
      if (!isRightCode(body) || !person.pendingPhone) return errorReply(422, 'invalid_code');
      person.phone = person.pendingPhone;
      return ok(userOf(person));
    }),
    'PUT /user/password': (body, session) => {
      const proof = prove(body);
      if ('status' in proof) return proof;
      session.person.srp = body.srp;
      for (const other of sessions.filter((one) => one.person === session.person && one !== session)) endSession(other);
      return ok({ M2: proof.M2 });
    },
  };

  async function respond(request: IncomingMessage, route: string): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isForm = request.headers['content-type']?.includes('urlencoded');
    const body = (isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || '{}')) as Body;
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    requests.push({ path: route, body, bearer });
    if (control.delayMs) await new Promise((resolve) => setTimeout(resolve, control.delayMs));
    const override = control.instead[route];
    if (override) return override;
    const rejection = work.rejection(route, body, control.workBits);
    if (rejection) return rejection;
    if (publicRoutes[route]) return publicRoutes[route](body, request);
    if (!userRoutes[route]) return errorReply(404, 'route_not_found');
    const session = sessions.find(({ access }) => access.has(bearer ?? ''));
    return session ? userRoutes[route](body, session) : errorReply(401, 'invalid_token');
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const route = `${request.method} ${request.url!.replace(/^\/identity/, '')}`;
    if (control.isDown) return request.socket.destroy();
    const { status, body, headers } = await respond(request, route);
    const lostIndex = control.losses.indexOf(route);
    if (lostIndex >= 0) {
      control.losses.splice(lostIndex, 1);
      return request.socket.destroy();
    }
    const copy = typeof body === 'object' ? structuredClone(body) : body;
    if (typeof copy === 'object') control.tamper?.(route, copy as Record<string, unknown>);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof copy === 'string' ? copy : copy && JSON.stringify(copy));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    control,
    people,
    sessions,
    requests,
    devices,
    add,
    auth: `${origin}/identity`,
    count: (path: string) => requests.filter((request) => request.path === path).length,
    configurationToken(flow: string, changes: object = {}) {
      const content = { v: 1, env: 'sandbox', flow, api: `${origin}/api/v1`, auth: `${origin}/identity` };
      const ids = { tenant_id: 'tenant-1', client_id: `client-${flow}` };
      return `care_sandbox_${Buffer.from(JSON.stringify({ ...content, ...ids, ...changes })).toString('base64url')}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

export type FakeIdentity = Awaited<ReturnType<typeof startFakeIdentity>>;
