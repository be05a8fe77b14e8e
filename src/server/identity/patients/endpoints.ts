import type { z } from 'zod';
import { ENDPOINTS, type Endpoint } from '#sdk/protocol/endpoints.ts';
import { type Context, contextFor, type Services } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { authenticateBearer } from '../sessions/authenticate-bearer.ts';
import type { Caller } from '../verification/caller.ts';
import { completeInvitation } from './credentials/complete-invitation.ts';
import { completeReset } from './credentials/complete-reset.ts';
import { confirmSignUp } from './credentials/confirm-sign-up.ts';
import { finishSrp } from './credentials/finish-srp.ts';
import { requestReset } from './credentials/request-reset.ts';
import { resendConfirmation } from './credentials/resend-confirmation.ts';
import { signUp } from './credentials/sign-up.ts';
import { startSrp } from './credentials/start-srp.ts';
import { INPUTS, type Inputs } from './inputs.ts';
import { completeSignIn } from './passwordless/complete-sign-in.ts';
import { signIn } from './passwordless/sign-in.ts';
import { signUp as signUpByPhone } from './passwordless/sign-up.ts';
import { createProof } from './proofs/create-proof.ts';
import { sendProofCode } from './proofs/send-proof-code.ts';
import { getUser, getUserinfo } from './user/get-user.ts';
import { signOut } from './user/sign-out.ts';
import { updateEmail } from './user/update-email.ts';
import { updatePassword } from './user/update-password.ts';
import { updatePhone } from './user/update-phone.ts';
import { verifyEmail } from './user/verify-email.ts';
import { verifyPhone } from './user/verify-phone.ts';

/** An endpoint: its input schema and implementation. `status` is that of a success; 204 has no body. */
export type IdentityEndpoint = {
  method: string;
  /** Below `/identity`. */
  path: string;
  input: z.ZodType | null;
  status: 200 | 202 | 204;
  /** Returns the response body or throws; `authorization` is the header, `input` the validated body. */
  run(services: Services, caller: Caller, authorization: string | null, input: unknown): Promise<unknown>;
};

const endpointOf = (name: Endpoint) => {
  const [method, path] = ENDPOINTS[name].split(' ') as [string, string];
  return { method, path, input: INPUTS[name] };
};

/** Without authentication: the body holds all credentials. */
const withoutToken = <Name extends Endpoint>(
  name: Name,
  status: IdentityEndpoint['status'],
  useCase: (services: Services, caller: Caller, input: Inputs[Name]) => Promise<unknown>,
): IdentityEndpoint => ({
  ...endpointOf(name),
  status,
  run: (services, caller, _authorization, input) => useCase(services, caller, input as Inputs[Name]),
});

async function patientContext(services: Services, caller: Caller, authorization: string | null): Promise<Context> {
  const ctx = contextFor(services, await authenticateBearer(services, authorization), caller);
  if (ctx.actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient may do this.');
  return ctx;
}

/** Requires a patient's access token. */
const withToken = <Name extends Endpoint>(
  name: Name,
  status: IdentityEndpoint['status'],
  useCase: (ctx: Context, input: Inputs[Name], caller: Caller) => Promise<unknown>,
): IdentityEndpoint => ({
  ...endpointOf(name),
  status,
  run: async (services, caller, authorization, input) =>
    useCase(await patientContext(services, caller, authorization), input as Inputs[Name], caller),
});

const getWithToken = (path: string, useCase: (ctx: Context) => Promise<unknown>): IdentityEndpoint => ({
  method: 'GET',
  path,
  input: null,
  status: 200,
  run: async (services, caller, authorization) => useCase(await patientContext(services, caller, authorization)),
});

/** The identity endpoints with JSON bodies. */
export const IDENTITY_ENDPOINTS: IdentityEndpoint[] = [
  withoutToken('passwordlessSignUp', 202, signUpByPhone),
  withoutToken('passwordlessSignIn', 200, signIn),
  withoutToken('passwordlessComplete', 200, completeSignIn),
  withoutToken('signUp', 202, signUp),
  withoutToken('confirm', 204, confirmSignUp),
  withoutToken('resend', 202, resendConfirmation),
  withoutToken('srpStart', 200, startSrp),
  withoutToken('srpFinish', 200, finishSrp),
  withoutToken('completeInvitation', 200, completeInvitation),
  withoutToken('reset', 202, requestReset),
  withoutToken('completeReset', 204, completeReset),
  withToken('signOut', 204, signOut),
  withToken('proofCode', 202, sendProofCode),
  withToken('proof', 200, createProof),
  withToken('updateEmail', 202, updateEmail),
  withToken('verifyEmail', 200, verifyEmail),
  withToken('updatePhone', 202, updatePhone),
  withToken('verifyPhone', 200, verifyPhone),
  withToken('updatePassword', 200, updatePassword),
  getWithToken('/user', getUser),
  getWithToken('/userinfo', getUserinfo),
];
