import { z } from 'zod';
import { anyOf, Id, LocalDate, Paging, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { TASK_ROLES } from './roles.ts';

export const MAX_TASK_NOTE = 2000;

const TaskStatus = z.enum(['open', 'completed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** What a task may be about. A payment is an invoice of Stripe; an unmatched booking belongs to no patient yet. */
export const TASK_SUBJECTS = ['appointment', 'subscription', 'payment', 'unmatched_booking'] as const;
export type TaskSubject = (typeof TASK_SUBJECTS)[number];

/** Control characters, and those that reverse the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
/** A day that can be compared with its neighbours. */
const Day = LocalDate.refine(
  (value) => value >= '0001-01-02' && value < '9999-12-31',
  'must be a day from 0001-01-02 to 9999-12-30',
);

const TaskId = Id.meta({ description: 'The id of the task, a UUIDv7.', examples: [EXAMPLE.taskId] });
const Title = text(200)
  .refine((value) => !INVISIBLE.test(value), 'must not contain control characters')
  .refine((value) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(value), 'must not be empty')
  .meta({ description: 'What is to be done.', examples: ['Follow up'] });
const Note = text(MAX_TASK_NOTE)
  .nullable()
  .meta({
    description: 'Details, for the whole team. Encrypted at rest; `null` in events.',
    examples: ['Ask about the new dose.'],
  });
const DueDate = Day.nullable().meta({
  description: "The day until which it is to be done, in the clinic's time zone.",
  examples: ['2027-03-15'],
});
const AssigneeId = Id.nullable().meta({
  description:
    'The staff user whose task it is. Naming a staff user or a role clears the other; `null` makes it anyone’s.',
  examples: [EXAMPLE.practitionerId],
});
const AssigneeRole = z
  .enum(TASK_ROLES)
  .nullable()
  .meta({ description: 'The role whose holders share the task, if it is not one staff user’s.', examples: [null] });
const PatientId = Id.nullable().meta({ description: 'The patient that it concerns.', examples: [EXAMPLE.patientId] });
const SubjectType = z
  .enum(TASK_SUBJECTS)
  .nullable()
  .meta({ description: 'The type of what it is about.', examples: ['appointment'] });
const SubjectId = text(255)
  .nullable()
  .meta({ description: 'The id of what it is about.', examples: [EXAMPLE.appointmentId] });

export const TaskView = z
  .object({
    id: TaskId,
    title: Title,
    note: Note,
    status: TaskStatus.meta({ description: '`open` or `completed`.', examples: ['open'] }),
    due_date: DueDate,
    assignee_id: AssigneeId,
    assignee_role: AssigneeRole,
    patient_id: PatientId,
    subject_type: SubjectType,
    subject_id: SubjectId,
    created_by: z.string().meta({ description: 'The id of its author.', examples: [EXAMPLE.practitionerId] }),
    completed_by: z
      .string()
      .nullable()
      .meta({ description: 'The id of the staff user or application that completed it.', examples: [null] }),
    completed_at: UtcInstant.nullable().meta({ examples: [null] }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

export const TaskIdInput = z.strictObject({ id: TaskId });
export type TaskIdInput = z.infer<typeof TaskIdInput>;

export const ListTasksInput = z.strictObject({
  ...Paging,
  status: anyOf(TaskStatus).optional().meta({ description: '`open`, `completed` or both; the default is `open`.' }),
  assignee_id: Id.optional().meta({ description: 'Tasks of one staff user.' }),
  assignee_role: z.enum(TASK_ROLES).optional().meta({ description: 'Tasks of a role.' }),
  patient_id: Id.optional().meta({ description: 'Tasks that concern one patient.' }),
  subject_id: text(255).optional().meta({ description: 'Tasks about one object.' }),
  due_until: Day.optional().meta({ description: 'Tasks that are due on this day or before.' }),
});
export type ListTasksInput = z.infer<typeof ListTasksInput>;

export const CreateTaskInput = z.strictObject({
  title: Title,
  note: Note.optional(),
  due_date: DueDate.optional(),
  assignee_id: AssigneeId.optional(),
  assignee_role: AssigneeRole.optional(),
  patient_id: PatientId.optional(),
  subject_type: SubjectType.optional(),
  subject_id: SubjectId.optional(),
});
export type CreateTaskInput = z.infer<typeof CreateTaskInput>;

/** Omitted fields stay unchanged. */
export const UpdateTaskInput = z.strictObject({
  id: TaskId,
  title: Title.optional(),
  note: Note.optional(),
  due_date: DueDate.optional(),
  assignee_id: AssigneeId.optional(),
  assignee_role: AssigneeRole.optional(),
  status: TaskStatus.optional().meta({ description: '`completed` completes it; `open` opens it again.' }),
});
export type UpdateTaskInput = z.infer<typeof UpdateTaskInput>;

/** For the portal: a task with the names that it shows. */
export type NamedTask = TaskView & {
  patient_name: string | null;
  patient_birth_date: string | null;
  assignee_name: string | null;
  /** The assigned staff user has left, or may not complete tasks any more: the task waits for another. */
  assignee_left: boolean;
  created_by_name: string | null;
  completed_by_name: string | null;
};
/** The portal's lists: the caller's own tasks (theirs and their role's), or everybody's. */
export const ShowTasksInput = ListTasksInput.extend({ whose: z.enum(['mine', 'all']).optional() });
export type ShowTasksInput = z.infer<typeof ShowTasksInput>;
/** Who may be assigned a task. */
export type AssigneeView = { id: string; name: string };
