import { EARLY_MINUTES, OVERTIME_MINUTES, UNDO_MARK_MINUTES } from '#contract/limits.ts';
import type { Permission } from '#contract/roles.ts';
import type { AppointmentMark, AppointmentView, CanceledBecause, SchedulingIssue } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { localDate } from '#web/ui/format-time.ts';

/** Fields of an appointment that actions on it need. */
export type AppointmentSummary = Pick<
  AppointmentView,
  | 'id'
  | 'patient_id'
  | 'appointment_type_id'
  | 'appointment_type'
  | 'calendar_id'
  | 'calendar'
  | 'from_date'
  | 'to_date'
  | 'time_zone'
  | 'status'
  | 'checked_in_at'
  | 'completed_at'
  | 'canceled_at'
  | 'scheduling_issue'
  | 'video_call_url'
>;

export type AppointmentPhase = 'ahead' | 'running' | 'over' | 'completed' | 'ended';

/** Phase of an appointment at `now` (epoch milliseconds); `ended` means canceled or no-show. */
export function phaseOf(
  {
    status,
    completed_at,
    from_date,
    to_date,
  }: Pick<AppointmentView, 'status' | 'completed_at' | 'from_date' | 'to_date'>,
  now: number,
): AppointmentPhase {
  if (status !== 'scheduled') return 'ended';
  if (completed_at) return 'completed';
  if (Date.parse(from_date) > now) return 'ahead';
  return Date.parse(to_date) > now ? 'running' : 'over';
}

/** What the status badge shows: a booked appointment by what staff have noted of it. */
export const shownStatus = ({
  status,
  checked_in_at,
  completed_at,
}: Pick<AppointmentView, 'status' | 'checked_in_at' | 'completed_at'>): string =>
  status !== 'scheduled' ? status : completed_at ? 'completed' : checked_in_at ? 'checked_in' : status;

export type AppointmentAction = 'join' | 'move' | 'cancel' | AppointmentMark;
/** Actions that each phase allows; the server rejects the others. */
const ACTIONS: Record<AppointmentPhase, AppointmentAction[]> = {
  ahead: ['join', 'checked_in', 'completed', 'move', 'cancel'],
  running: ['join', 'checked_in', 'completed', 'no_show', 'cancel'],
  over: ['join', 'completed', 'no_show'],
  completed: [],
  ended: [],
};
const needsOf = (action: AppointmentAction): Permission => (action === 'join' ? 'visits:host' : 'appointments:write');

/** Returns whether an appointment may begin at `now`, shortly before its time. */
export const mayBegin = (from_date: string, now: number): boolean =>
  Date.parse(from_date) - EARLY_MINUTES * 60_000 <= now;

type Course = Pick<
  AppointmentView,
  'status' | 'from_date' | 'to_date' | 'time_zone' | 'checked_in_at' | 'completed_at' | 'canceled_at'
>;

/** Actions that the appointment allows at `now` (epoch milliseconds), and these permissions. */
export function allowedActions(
  appointment: Course,
  now: number,
  permissions: readonly Permission[],
): readonly AppointmentAction[] {
  const phase = phaseOf(appointment, now);
  const { from_date, to_date, time_zone, checked_in_at } = appointment;
  const isRoomClosed = Date.parse(to_date) + OVERTIME_MINUTES * 60_000 <= now;
  const isItsDay = localDate(from_date, time_zone) === localDate(new Date(now), time_zone);
  return ACTIONS[phase].filter(
    (action) =>
      permissions.includes(needsOf(action)) &&
      (action !== 'join' || !isRoomClosed) &&
      (action !== 'checked_in' || (!checked_in_at && (isItsDay || phase === 'running'))) &&
      (action !== 'completed' || phase !== 'ahead' || (checked_in_at !== null && mayBegin(from_date, now))),
  );
}

/** The latest mark if it can still be undone at `now` (epoch milliseconds), and these permissions allow it. */
export function undoableMark(
  { status, checked_in_at, completed_at, canceled_at }: Course,
  now: number,
  permissions: readonly Permission[],
): AppointmentMark | null {
  if (!permissions.includes('appointments:write') || status === 'canceled') return null;
  const isRecent = (at: string | null) => at !== null && now < Date.parse(at) + UNDO_MARK_MINUTES * 60_000;
  if (status === 'no_show') return isRecent(canceled_at) ? 'no_show' : null;
  if (completed_at) return isRecent(completed_at) ? 'completed' : null;
  return isRecent(checked_in_at) ? 'checked_in' : null;
}

/** Names of the marks as actions. */
export const MARK_LABELS: Record<AppointmentMark, { mark: string; unmark: string }> = {
  checked_in: { mark: 'Check in', unmark: 'Undo the check-in' },
  completed: { mark: 'Took place', unmark: 'Undo “Took place”' },
  no_show: { mark: 'Did not come', unmark: 'Undo “Did not come”' },
};

/** Returns whether the video link can still be used. */
export const hasOpenLink = (phase: AppointmentPhase): boolean => phase === 'ahead' || phase === 'running';

/** Returns whether the appointment takes place by video, and not at an address. */
export const isByVideo = ({
  location,
  video_call_url,
}: Pick<AppointmentView, 'location' | 'video_call_url'>): boolean => location === null || location === video_call_url;

/**
 * Returns whether staff are expected to join at `now` (epoch milliseconds): from the opening of the room to the end. Late
 * calls may take longer.
 */
export const isTimeToJoin = (
  {
    status,
    completed_at,
    from_date,
    to_date,
  }: Pick<AppointmentView, 'status' | 'completed_at' | 'from_date' | 'to_date'>,
  now: number,
): boolean => status === 'scheduled' && !completed_at && mayBegin(from_date, now) && now < Date.parse(to_date);

const currentOrigin = () => (typeof window === 'undefined' ? '' : window.location.origin);

/**
 * Returns whether the appointment uses the portal's video page rather than a room of the clinic. Only that page has the
 * token in the fragment; the portal may be opened under another name than the one in links.
 */
export function usesPortalRoom(
  { video_call_url }: Pick<AppointmentView, 'video_call_url'>,
  origin = currentOrigin(),
): boolean {
  const link = new URL(video_call_url);
  if (link.pathname === '/visit' && link.hash !== '') return true;
  return link.origin === origin && /^\/visit(\/|$)/.test(link.pathname);
}

/**
 * Link for staff to join an appointment: the portal's call page, or the clinic's own room, to which the patient's link
 * leads as well.
 */
export const joinLink = (
  appointment: Pick<AppointmentView, 'id' | 'video_call_url'>,
  origin = currentOrigin(),
): string =>
  usesPortalRoom(appointment, origin) ? `/appointments/${appointment.id}/call` : appointment.video_call_url;

/** The site of the clinic's own rooms, where joining leads to; null for the portal's call page. */
export const roomsElsewhere = (
  appointment: Pick<AppointmentView, 'video_call_url'>,
  origin = currentOrigin(),
): string | null => (usesPortalRoom(appointment, origin) ? null : new URL(appointment.video_call_url).host);

/** Label of the link to join: it names the site that it leads to, if that is not the portal. */
export function joinLabel(appointment: Pick<AppointmentView, 'video_call_url'>, origin = currentOrigin()): string {
  const site = roomsElsewhere(appointment, origin);
  return site ? `Join at ${site}` : 'Join by video';
}

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Why an appointment was canceled only here: in a list, and on its own page. */
export const CANCELED_BECAUSE: Record<CanceledBecause, { label: string; message: string }> = {
  gone_at_provider: {
    label: `Not in ${PROVIDER} any more`,
    message: `It was canceled here because it is not in ${PROVIDER} any more.`,
  },
  former_account: {
    label: `In a former ${PROVIDER} account`,
    message: `It was canceled here only: it was in an ${PROVIDER} account that is not connected any more.`,
  },
};

/** Labels of appointments that cannot be rescheduled here. */
export const ISSUE_LABELS: Record<SchedulingIssue, string> = {
  former_account: `In a former ${PROVIDER} account: cancel it and book another`,
  calendar_removed: `Its calendar is not in ${PROVIDER} any more: cancel it and book another`,
  not_connected: `${PROVIDER} is not connected: change the appointment in ${PROVIDER} itself`,
};

/** Scheduling issues that a list can be filtered by. */
export const ISSUE_OPTIONS: { value: SchedulingIssue; label: string }[] = [
  { value: 'former_account', label: 'In a former account' },
  { value: 'calendar_removed', label: 'Calendar is gone' },
];
