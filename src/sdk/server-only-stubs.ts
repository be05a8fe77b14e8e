import { ServerOnlyError } from './errors.ts';
import type { Impersonation, MachineToMachine } from './server-functions.ts';

const reject = (): Promise<never> => Promise.reject(new ServerOnlyError());

/** Works in Node only: a client secret must never reach a browser or an app. */
export const machineToMachine: MachineToMachine = { getAccessToken: reject };
/** Works in Node only: a client secret must never reach a browser or an app. */
export const impersonation: Impersonation = { signIn: reject };
