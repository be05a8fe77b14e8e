import { isStaff } from './actor.ts';
import type { Context } from './context.ts';
import { tenantOfToken } from './ids.ts';

/** True when appointments use the built-in video page rather than the operator's own. */
export const isOwnRoom = ({ config }: { config: Pick<Context['config'], 'publicUrl' | 'videoBaseUrl'> }): boolean =>
  config.videoBaseUrl === `${config.publicUrl}/visit`;

/**
 * Returns the video link of an appointment. On the built-in page the token is in the fragment, which browsers do not
 * send, so that no log, proxy or linked page receives it; an external page gets it in the path.
 */
export const videoUrl = (ctx: Pick<Context, 'config'>, videoToken: string): string =>
  `${ctx.config.videoBaseUrl}${isOwnRoom(ctx) ? '#' : '/'}${videoToken}`;

const LINK = /^https?:\/\/\S+[/#]([\w-]{22}\.[\w-]{32})$/;

/** Returns the tenant's video token in a link of the current or an earlier form; null for any other text. */
export function tokenOfLink(text: string | null, tenantId: string): string | null {
  const token = text === null ? undefined : LINK.exec(text)?.[1];
  return token && tenantOfToken(token) === tenantId ? token : null;
}

/**
 * Returns the URL where a patient tests camera and connection before an appointment, or null with an external video
 * page. The token is in the fragment, which no server or log sees.
 */
export const videoTestUrl = (
  ctx: { config: Pick<Context['config'], 'publicUrl' | 'videoBaseUrl'> },
  videoToken: string,
): string | null => (isOwnRoom(ctx) ? `${ctx.config.publicUrl}/visit/test#${videoToken}` : null);

/**
 * Returns where the caller may be sent for the video call. A caller with the patient's link waits as the patient, so
 * staff get it only to host the visit or to give it to the patient; others get the address of the page for staff.
 */
export function videoUrlFor({ actor, config }: Pick<Context, 'actor' | 'config'>, id: string, link: string): string {
  const isGiven =
    !isStaff(actor) || actor.permissions.has('appointments:write') || actor.permissions.has('visits:host');
  return isGiven ? link : `${config.publicUrl}/appointments/${id}`;
}
