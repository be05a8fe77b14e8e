/** Entry point for browsers and React Native. */
import { credentials } from './credentials.ts';
import { ServerOnlyError } from './errors.ts';
import { passwordless } from './passwordless.ts';
import type { Impersonation, MachineToMachine } from './server-functions.ts';
import { user } from './user.ts';

const reject = (): Promise<never> => Promise.reject(new ServerOnlyError());

/** Works in Node only: a client secret must never reach a browser or an app. */
const machineToMachine: MachineToMachine = { getAccessToken: reject };
/** Works in Node only: a client secret must never reach a browser or an app. */
const impersonation: Impersonation = { signIn: reject };

export * from './client-exports.ts';
export { credentials, impersonation, machineToMachine, passwordless, user };
export default { passwordless, credentials, user, machineToMachine, impersonation };
