/** Entry point for Node: additionally has the functions that need a client secret. */
import { credentials } from './credentials.ts';
import { passwordless } from './passwordless.ts';
import { impersonation, machineToMachine } from './server-functions.ts';
import { user } from './user.ts';

export * from './client-exports.ts';
export { credentials, impersonation, machineToMachine, passwordless, user };
export default { passwordless, credentials, user, machineToMachine, impersonation };
