import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { presentUser } from '../sessions/present-user.ts';
import { requirePatient } from './require-patient.ts';

/** The signed-in (or impersonated) patient, as the apps show it. */
export const getUser = (ctx: Context): Promise<WireUser> => presentUser(ctx.db, ctx, requirePatient(ctx).patientId);
