import { type Actor, isStaff } from '#server/core/actor.ts';

/** Applications, staff and the service itself act for any patient of their tenant; a patient only for itself. */
export const mayActFor = (actor: Actor, patientId: string): boolean =>
  isStaff(actor) ||
  actor.kind === 'application' ||
  actor.kind === 'system' ||
  (actor.kind === 'patient' && actor.patientId === patientId);
