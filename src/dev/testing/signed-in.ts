import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { type Flow, publicClients } from '#server/identity/applications/public-client.ts';
import { beginSession } from '#server/identity/sessions/begin-session.ts';
import { issueTokens } from '#server/identity/sessions/issue-tokens.ts';
import { registrationColumns } from '#server/identity/srp/verifier.ts';
import { register, signInWithPassword } from './password-client.ts';
import type { SignInBench, TestResponse } from './patient-sign-in.ts';

/** Creates a session of the patient, as a completed sign-in does. */
export async function signInPatient(
  ctx: Context,
  patientId: string,
  flow: Flow = 'passwordless',
): Promise<WireTokens & { client_id: string }> {
  const { [flow]: clientId } = await publicClients(ctx);
  const caller = { ip: '192.0.2.1', userAgent: null, requestId: newId(), idempotencyKey: null };
  const session = await ctx.db.$transaction((tx) => beginSession(tx, ctx, { patientId, clientId, caller }));
  return { ...(await issueTokens(ctx, session)), client_id: clientId };
}

export const PASSWORD = 'correct horse battery staple';

type Clinic = Awaited<ReturnType<SignInBench['tenant']>>;
/** The tokens of a sign-in, with the known-device secret that its device stores. */
export type SignedIn = WireTokens & { device: string };

export const errorOf = ({ status, body }: TestResponse) => [status, body?.errors?.[0]?.code];

/** Creates patients who sign in, each with an unused address. */
export function signedIn(bench: SignInBench, clinic: Clinic, name = 'bob') {
  const { ctx, credentials, passwordless } = clinic;
  const { db, tenantId } = ctx;
  let count = 0;
  const newEmail = () => `${name}${++count}@example.test`;
  const newNumber = () => `+1310555${String(1000 + ++count)}`;
  const signIn = (email: string, password = PASSWORD) => signInWithPassword(bench, credentials, email, password);
  let registration: ReturnType<typeof register> | undefined;
  /** Creates a confirmed patient with a session on a new device, without the sign-in flow. */
  async function enter(flow: 'credentials' | 'passwordless', patient: object, signInOf: (id: string) => object) {
    const patientId = newId();
    await db.patient.create({ data: { id: patientId, tenantId, canSignIn: true, ...patient } });
    const confirmedAt = bench.clock.now();
    await db.patientSignIn.create({ data: { tenantId, patientId, confirmedAt, ...signInOf(patientId) } });
    return (await signInPatient(ctx, patientId, flow)) as SignedIn;
  }
  return {
    newEmail,
    newNumber,
    /** Signs in by password and returns the response, successful or not. */
    signIn,
    byEmail(email = newEmail()): Promise<SignedIn> {
      registration ??= register(PASSWORD);
      const stored = registration;
      return enter('credentials', { email, emailVerified: true }, (id) => registrationColumns(ctx, id, stored));
    },
    byPhone(phoneNumber = newNumber()): Promise<SignedIn> {
      const phones = { create: { id: newId(), number: phoneNumber, primary: true } };
      const patient = { phoneNumber, phoneNumberVerified: true, phones };
      return enter('passwordless', patient, () => ({ phoneNumber }));
    },
    /** Signs in by text over HTTP, including the request for the code. */
    async byText(phone_number: string, device?: string, headers = {}): Promise<SignedIn> {
      const requested = await bench.post(
        '/passwordless/sign_in',
        { client_id: passwordless, phone_number },
        { headers },
      );
      const code = await bench.codeFor(phone_number);
      return (await bench.post('/passwordless/complete', { challenge: requested.body.challenge, code, device })).body;
    },
    /** Calls an endpoint below `/identity/user`. */
    as: (
      { access_token: token }: Pick<WireTokens, 'access_token'>,
      method: string,
      path: string,
      body?: object,
      headers = {},
    ) => bench.call(method, `/identity/user${path}`, body, { token, headers }),
  };
}
