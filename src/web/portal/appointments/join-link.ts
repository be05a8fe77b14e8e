import type { AppointmentView } from '#contract/scheduling.ts';

const here = () => (typeof window === 'undefined' ? '' : window.location.origin);

/** Whether a visit takes place on our own page, and not in a room that the clinic brings. */
export function isOnOurPage({ video_call_url }: Pick<AppointmentView, 'video_call_url'>, origin = here()): boolean {
  const link = new URL(video_call_url);
  return link.origin === origin && /^\/visit(\/|$)/.test(link.pathname);
}

/**
 * Where staff join a visit: on our own page of it, or, where the clinic brings its own rooms, in the one that the patient
 * is sent to.
 */
export const joinLink = (visit: Pick<AppointmentView, 'id' | 'video_call_url'>, origin = here()): string =>
  isOnOurPage(visit, origin) ? `/appointments/${visit.id}/call` : visit.video_call_url;
