/** Entry point for browsers and React Native. */
import { credentials } from './credentials.ts';
import { impersonation, machineToMachine } from './not-here.ts';
import { passwordless } from './passwordless.ts';
import { user } from './user.ts';

export * from './client-exports.ts';
export { credentials, impersonation, machineToMachine, passwordless, user };
export default { passwordless, credentials, user, machineToMachine, impersonation };
