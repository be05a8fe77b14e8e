export type { ConfigureOptions, Service } from './client.ts';
export type { CodeSent } from './code-sent.ts';
export * from './errors.ts';
export type { PasswordlessUser } from './passwordless.ts';
export type { PatientAttributes, SignUpAttributes } from './protocol/patient-attributes.ts';
export type { ActedFor, Impersonation, MachineToMachine, ServerOptions } from './server-functions.ts';
export type { UserPayload } from './user-payload.ts';
export type { AuthStorage } from './vault.ts';
