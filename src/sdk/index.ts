/** Entry point for browsers and React Native. */
import { credentials } from './credentials.ts';
import { passwordless } from './passwordless.ts';
import { impersonation, machineToMachine } from './server-only-stubs.ts';
import { user } from './user.ts';

export * from './client-exports.ts';
export { credentials, impersonation, machineToMachine, passwordless, user };
export default { passwordless, credentials, user, machineToMachine, impersonation };
