import { ServerOnlyError } from './errors.ts';
import type { Impersonation, MachineToMachine } from './server-functions.ts';

const refuse = (): Promise<never> => Promise.reject(new ServerOnlyError());

/** Works in Node only: a client secret must never reach a browser or an app. */
export const machineToMachine: MachineToMachine = { getAccessToken: refuse };
/** Works in Node only: a client secret must never reach a browser or an app. */
export const impersonation: Impersonation = { signIn: refuse };
