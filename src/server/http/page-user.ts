import type { MeView } from '#contract/settings.ts';
import { contextFor } from '../core/context.ts';
import { staffActor } from '../identity/staff/staff-actor.ts';
import { createCaller } from '../router.ts';
import { services } from './services.ts';
import { readStaffSession } from './staff-session.ts';

/**
 * Returns the staff user who opens a portal page, or null without a session. For display only: each call authenticates
 * again.
 */
export async function getPageUser(headers: Headers): Promise<MeView | null> {
  const processServices = services();
  const session = await readStaffSession(processServices, new Request(processServices.config.publicUrl, { headers }));
  const actor = session && (await staffActor(processServices, session));
  return actor ? createCaller(contextFor(processServices, actor)).session.me() : null;
}
