import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { CreateTaskInput, NamedTask, TaskSubject } from '#contract/tasks.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { addDays } from '#web/ui/format-time.ts';
import { assigneeOf, choiceOf } from './assignee.ts';

/** The longest title that the contract allows. */
export const MAX_TITLE = 200;
/** Stands for the patient's name in a title. */
const NAME = '{name}';
const FOLLOW_UP_DAYS = 14;

/** What a new task is about, and what its form starts with. */
export type TaskStart = {
  /** The name is looked up if it is not given. */
  patient?: { id: string; name?: string };
  subject?: { type: TaskSubject; id: string };
  /** `{name}` stands for the patient's name. */
  title?: string;
  dueInDays?: number;
};

export const followUp = (appointment: { id: string; patient_id: string }): TaskStart => ({
  patient: { id: appointment.patient_id },
  subject: { type: 'appointment', id: appointment.id },
  title: `Follow up with ${NAME}`,
  dueInDays: FOLLOW_UP_DAYS,
});

type Unpaid = { id: string; patient_id: string };

const unpaid = (type: 'payment' | 'subscription', { id, patient_id }: Unpaid, hasFailed: boolean): TaskStart => ({
  patient: { id: patient_id },
  subject: { type, id },
  title: hasFailed ? `Payment of ${NAME} failed` : `${NAME} has not paid yet`,
});

/** The start of a task about a bill; null for one with nothing left to pay. */
export const paymentTask = (payment: Unpaid & { status: string; attempt_count: number }): TaskStart | null =>
  payment.status === 'open' || payment.status === 'uncollectible'
    ? unpaid('payment', payment, payment.attempt_count > 0)
    : null;

const UNPAID: Partial<Record<SubscriptionView['status'], { hasFailed: boolean }>> = {
  incomplete: { hasFailed: false },
  past_due: { hasFailed: true },
  unpaid: { hasFailed: true },
};

/** The start of a task about a subscription; null for one that is not behind with its payments. */
export function subscriptionTask(subscription: Unpaid & Pick<SubscriptionView, 'status'>): TaskStart | null {
  const behind = UNPAID[subscription.status];
  return behind ? unpaid('subscription', subscription, behind.hasFailed) : null;
}

/** The start of a task about a booking that belongs to no patient yet. */
export const bookingTask = (id: string, contact: string): TaskStart => ({
  subject: { type: 'unmatched_booking', id },
  title: titleFor('Match the booking of {name}', contact),
});

/** Fills the patient's name in; a name that is too long for a title is cut. */
export function titleFor(title: string, name: string): string {
  const room = MAX_TITLE - title.replace(NAME, '').length;
  const fitting = name.length > room ? `${name.slice(0, room - 1)}…` : name;
  // A function: in a text, `$&` would stand for the match.
  return title.replace(NAME, () => fitting);
}

export type TaskValues = {
  title: string;
  note: string;
  /** YYYY-MM-DD, or empty. */
  due_date: string;
  assigned_to: string;
  patient: ComboboxOption | null;
};

type Reader = { userId: string; today: string };

/** What the form of a new task starts with. It is its author's, because most tasks are; they may choose another. */
export function valuesOfStart(start: TaskStart, { userId, today }: Reader): TaskValues {
  const { patient, title = '', dueInDays } = start;
  return {
    title: patient?.name === undefined ? title : titleFor(title, patient.name),
    note: '',
    due_date: dueInDays === undefined ? '' : addDays(today, dueInDays),
    assigned_to: userId,
    patient: patient ? { value: patient.id, label: patient.name ?? '' } : null,
  };
}

export const valuesOfTask = (task: NamedTask): TaskValues => ({
  title: task.title,
  note: task.note ?? '',
  due_date: task.due_date ?? '',
  assigned_to: choiceOf(task),
  patient: task.patient_id ? { value: task.patient_id, label: task.patient_name ?? '' } : null,
});

/** The fields that both a new and a changed task have. */
export function inputOf({ title, note, due_date, assigned_to }: Omit<TaskValues, 'patient'>) {
  return {
    title,
    note: note.trim() || null,
    due_date: due_date || null,
    ...assigneeOf(assigned_to),
  } satisfies CreateTaskInput;
}
