/** Entry point for Node: additionally has the functions that need a client secret. */
import { credentials } from './credentials.ts';
import { impersonation } from './impersonation.ts';
import { machineToMachine } from './machine-to-machine.ts';
import { passwordless } from './passwordless.ts';
import { user } from './user.ts';

export * from './client-exports.ts';
export { credentials, impersonation, machineToMachine, passwordless, user };
export default { passwordless, credentials, user, machineToMachine, impersonation };
