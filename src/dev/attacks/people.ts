import { newAttempt, register, signInWithPassword } from '../testing/password-client.ts';
import { once } from './helpers.ts';
import type { Mailbox } from './mailbox.ts';
import type { Reply, RequestInput, Source } from './source.ts';

export const PASSWORD = 'correct horse battery staple';

/** A patient in a third-party app, with what that app stores. */
export type Person = {
  id: string;
  email: string;
  phone: string;
  accessToken: string;
  refreshToken: string;
  device: string;
  source: Source;
};
type Flows = { passwordless: string; credentials: string };

/** One registration for all: the service cannot detect it, and scrypt is expensive. */
const registration = once(() => register(PASSWORD));

/** The sign-in protocol as any client implements it. */
export function createPeople(auth: string, ids: Flows, mailbox: Mailbox, newSource: () => Source) {
  const post = (source: Source, path: string, json: object, more: RequestInput = {}): Promise<Reply> =>
    source.send('POST', auth + path, { json, ...more });
  const clientAt = (source: Source) => ({
    post: (path: string, body: unknown) => post(source, path, body as object),
  });
  const personOf = (source: Source, { body, text }: Pick<Reply, 'body' | 'text'>): Person => {
    if (!body?.access_token) throw new Error(`a patient could not sign in: ${text}`);
    const { user, access_token: accessToken, refresh_token: refreshToken, device } = body;
    const { user_id: id, email, phone_number: phone } = user;
    return { id, email, phone, accessToken, refreshToken, device, source };
  };
  const people = {
    post,
    ids,
    /** Signs in by password and returns the response, successful or not. */
    signIn: (source: Source, email: string, password = PASSWORD, attempt?: string) =>
      signInWithPassword(clientAt(source), ids.credentials, email, password, {}, attempt),
    /** Signs up, confirms and signs in. */
    async byEmail(email: string, source = newSource(), attributes: object = {}): Promise<Person> {
      const common = { client_id: ids.credentials, email, attempt: newAttempt() };
      await post(source, '/credentials/sign_up', { ...common, srp: registration(), attributes });
      const code = await mailbox.codeFor(email);
      const confirmed = await post(source, '/credentials/confirm', { ...common, code });
      if (confirmed.status !== 204) throw new Error(`not confirmed: ${confirmed.text}`);
      const response = await people.signIn(source, email);
      return personOf(source, { ...response, text: JSON.stringify(response.body) });
    },
    async byPhone(phone_number: string, source = newSource()): Promise<Person> {
      const common = { client_id: ids.passwordless, phone_number };
      const attempt = newAttempt();
      await post(source, '/passwordless/sign_up', { ...common, attempt, attributes: {} });
      const { body } = await post(source, '/passwordless/sign_in', common);
      const code = await mailbox.codeFor(phone_number);
      const step = { challenge: body.challenge, code, attempt };
      return personOf(source, await post(source, '/passwordless/complete', step));
    },
    /** Calls an endpoint below `/identity/user` with a token. */
    as: (source: Source, token: string, method: string, path: string, json?: object): Promise<Reply> =>
      source.send(method, `${auth}/user${path}`, { token, ...(json && { json }) }),
  };
  return people;
}
export type People = ReturnType<typeof createPeople>;

/** The status and the first error code of a response. */
export const codeOf = ({ status, body }: Pick<Reply, 'status' | 'body'>): string =>
  `${status}${body?.errors ? ` ${body.errors[0].code}` : ''}`;
