import type { VisitLinkView } from '#contract/visits.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { keyedHash, sameSecret } from '#server/core/crypto.ts';
import { apiError } from '#server/core/errors.ts';
import { isOwnRoom } from '#server/core/video-url.ts';
import { getAppointment } from '#server/scheduling/index.ts';

/** Equals the time for which the room is open before the appointment. */
const PASS_TTL = 15 * MINUTE;

/**
 * Returns a link to the caller's own appointment with a pass that proves a sign-in for 15 minutes; nothing is stored.
 * With an external video page the plain link is returned.
 *
 * @throws forbidden, not_found; 409 `already_canceled`.
 */
export async function signLink(ctx: Context, { id }: { id: string }): Promise<VisitLinkView> {
  if (ctx.actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient is given such a link.');
  const { status, video_call_url: plain } = await getAppointment(ctx, { id });
  if (status === 'canceled') throw apiError('already_canceled', 'This appointment was canceled.');
  const until = Math.floor((ctx.clock.now().getTime() + PASS_TTL) / SECOND);
  const pass = `${until}.${signatureOf(ctx, until, plain.slice(plain.lastIndexOf('#') + 1))}`;
  return {
    url: isOwnRoom(ctx) ? plain.replace('#', `#${pass}~`) : plain,
    expires_at: new Date(until * SECOND).toISOString(),
  };
}

/** True when the pass was signed for this link and has not expired. */
export function isValidPass(ctx: Context, videoToken: string, pass: string): boolean {
  const [until = '', signature = ''] = pass.split('.');
  if (!/^\d{1,11}$/.test(until) || Number(until) * SECOND <= ctx.clock.now().getTime()) return false;
  return sameSecret(signature, signatureOf(ctx, Number(until), videoToken));
}

const signatureOf = (services: Pick<Services, 'cipher'>, until: number, videoToken: string): string =>
  keyedHash(services, 'visit pass', `${until}`, videoToken).toString('base64url');
