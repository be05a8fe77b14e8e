export type { ConfigureOptions, Service } from './client.ts';
export * from './errors.ts';
export type { PasswordlessUser } from './passwordless.ts';
export type { PatientAttributes } from './protocol/patient-attributes.ts';
export type { Impersonation, MachineToMachine, ServerOptions } from './server-functions.ts';
export type { UserPayload } from './user.ts';
export type { AuthStorage } from './vault.ts';
