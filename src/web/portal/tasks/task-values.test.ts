import { expect, test } from 'vitest';
import { CreateTaskInput, type NamedTask } from '#contract/tasks.ts';
import {
  bookingTask,
  followUp,
  inputOf,
  MAX_TITLE,
  paymentTask,
  subscriptionTask,
  titleFor,
  valuesOfStart,
  valuesOfTask,
} from './task-values.ts';

const ME = '0199aaaa-0000-7000-8000-000000000000';
const PATIENT = '0199bbbb-0000-7000-8000-000000000000';
const READER = { userId: ME, today: '2027-02-28' };

test('a follow-up names the patient, is due in two weeks, and is its author’s', () => {
  const start = followUp({ id: 'a', patient_id: PATIENT });
  expect(start.subject).toEqual({ type: 'appointment', id: 'a' });
  expect(valuesOfStart({ ...start, patient: { id: PATIENT, name: 'Ada Example' } }, READER)).toEqual({
    title: 'Follow up with Ada Example',
    note: '',
    due_date: '2027-03-14',
    assigned_to: ME,
    patient: { value: PATIENT, label: 'Ada Example' },
  });
});

test('a new task without a subject starts empty', () => {
  expect(valuesOfStart({}, READER)).toEqual({ title: '', note: '', due_date: '', assigned_to: ME, patient: null });
});

test.each([
  ['paid', 1, undefined],
  ['void', 0, undefined],
  ['open', 0, '{name} has not paid yet'],
  ['open', 2, 'Payment of {name} failed'],
  ['uncollectible', 4, 'Payment of {name} failed'],
])('a bill that is %s after %i attempts', (status, attempt_count, title) => {
  expect(paymentTask({ id: 'in_1', patient_id: PATIENT, status, attempt_count })?.title).toBe(title);
});

test.each([
  ['active', undefined],
  ['trialing', undefined],
  ['incomplete', '{name} has not paid yet'],
  ['past_due', 'Payment of {name} failed'],
  ['unpaid', 'Payment of {name} failed'],
] as const)('a subscription that is %s', (status, title) => {
  expect(subscriptionTask({ id: 'sub_1', patient_id: PATIENT, status })?.title).toBe(title);
});

test('a booking to match has no patient', () => {
  expect(bookingTask('b', 'Robin Example')).toEqual({
    subject: { type: 'unmatched_booking', id: 'b' },
    title: 'Match the booking of Robin Example',
  });
});

test('a long name is cut so that the title is valid, and any name is taken as it is', () => {
  const title = titleFor('Payment of {name} failed', 'x'.repeat(400));
  expect(title).toHaveLength(MAX_TITLE);
  expect(title).toMatch(/^Payment of x+… failed$/);
  expect(CreateTaskInput.safeParse({ title }).success).toBe(true);
  expect(CreateTaskInput.safeParse({ title: `${title}x` }).success).toBe(false);
  expect(titleFor('Follow up with {name}', '$& Example')).toBe('Follow up with $& Example');
});

const TASK: NamedTask = {
  id: '0199cccc-0000-7000-8000-000000000000',
  title: 'Call back',
  note: null,
  status: 'open',
  due_date: null,
  assignee_id: null,
  assignee_role: 'billing',
  patient_id: PATIENT,
  subject_type: null,
  subject_id: null,
  created_by: ME,
  completed_by: null,
  completed_at: null,
  created_at: '2027-02-28T10:00:00.000Z',
  updated_at: '2027-02-28T10:00:00.000Z',
  patient_birth_date: null,
  patient_name: 'Ada Example',
  assignee_name: null,
  assignee_left: false,
  created_by_name: 'Rowan Example',
  completed_by_name: null,
};

test('the form of a task shows its values, and empty fields are none', () => {
  const values = valuesOfTask(TASK);
  expect(values).toEqual({
    title: 'Call back',
    note: '',
    due_date: '',
    assigned_to: 'role:billing',
    patient: { value: PATIENT, label: 'Ada Example' },
  });
  expect(inputOf({ ...values, note: ' ' })).toEqual({
    title: 'Call back',
    note: null,
    due_date: null,
    assignee_id: null,
    assignee_role: 'billing',
  });
});
