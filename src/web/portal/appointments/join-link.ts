import type { AppointmentView } from '#contract/scheduling.ts';

const here = () => (typeof window === 'undefined' ? '' : window.location.origin);

/** Returns whether the appointment uses the portal's video page rather than a room of the clinic. */
export function usesPortalRoom({ video_call_url }: Pick<AppointmentView, 'video_call_url'>, origin = here()): boolean {
  const link = new URL(video_call_url);
  return link.origin === origin && /^\/visit(\/|$)/.test(link.pathname);
}

/**
 * Link for staff to join an appointment: the portal's call page, or the clinic's own room, to which the patient's link
 * leads as well.
 */
export const joinLink = (visit: Pick<AppointmentView, 'id' | 'video_call_url'>, origin = here()): string =>
  usesPortalRoom(visit, origin) ? `/appointments/${visit.id}/call` : visit.video_call_url;
