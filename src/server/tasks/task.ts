import { TASK_ROLES, type TaskRole } from '#contract/roles.ts';
import type { TaskSubject, TaskView } from '#contract/tasks.ts';
import type { Task } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, invalidParameter, notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { assertNotMerged } from '#server/patients/index.ts';

/** Stored for a task without a due date, so that it sorts after all others. */
export const NO_DUE_DATE = new Date('9999-12-31');

const boundTo = ({ tenantId, id }: Pick<Task, 'tenantId' | 'id'>) => `tasks/${tenantId}/${id}/note`;

export const sealNote = ({ cipher }: Context, row: Pick<Task, 'tenantId' | 'id'>, note: string | null) =>
  note === null ? null : cipher.seal(note, boundTo(row));

export function presentTask({ cipher }: Pick<Context, 'cipher'>, row: Task): TaskView {
  return {
    id: row.id,
    title: row.title,
    note: row.note && cipher.open(row.note, boundTo(row)),
    status: row.completedAt ? 'completed' : 'open',
    due_date: row.dueDate.getTime() === NO_DUE_DATE.getTime() ? null : row.dueDate.toISOString().slice(0, 10),
    assignee_id: row.assigneeId,
    assignee_role: row.assigneeRole as TaskRole | null,
    patient_id: row.patientId,
    subject_type: row.subjectType as TaskSubject | null,
    subject_id: row.subjectId,
    created_by: row.createdBy,
    completed_by: row.completedBy,
    completed_at: row.completedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The payload of an event: the task without its note. */
export const eventPayload = (view: TaskView): TaskView => ({ ...view, note: null });

/** Reads and locks a task. @throws `not_found` */
export async function lockTask(tx: Tx, { tenantId }: Context, id: string): Promise<Task> {
  await tx.$queryRaw`select 1 from tasks where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  const row = await tx.task.findFirst({ where: { tenantId, id } });
  if (!row) throw notFound('task');
  return row;
}

/** Staff users who may be assigned a task. */
export const ASSIGNABLE = { disabledAt: null, role: { in: [...TASK_ROLES] } };

type Assignee = { assignee_id?: string | null | undefined; assignee_role?: TaskRole | null | undefined };

/**
 * Returns the columns of an assignee; none for input that names neither.
 * @throws `invalid_parameter` for both, and for a staff user who is not there, has left or may not complete tasks
 */
export async function assigneeOf(
  tx: Pick<Tx, 'staffUser'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  { assignee_id, assignee_role }: Assignee,
): Promise<{ assigneeId: string | null; assigneeRole: TaskRole | null } | Record<string, never>> {
  if (assignee_id === undefined && assignee_role === undefined) return {};
  if (assignee_id && assignee_role)
    throw invalidParameter('assignee_role', 'A task is one staff user’s or a role’s, not both.');
  if (assignee_id) {
    const where = { ...ASSIGNABLE, tenantId, id: assignee_id };
    if (!(await tx.staffUser.findFirst({ where, select: { id: true } })))
      throw invalidParameter('assignee_id', 'This team member may not complete tasks.');
  }
  return { assigneeId: assignee_id ?? null, assigneeRole: assignee_role ?? null };
}

type About = {
  patient_id?: string | null | undefined;
  subject_type?: TaskSubject | null | undefined;
  subject_id?: string | null | undefined;
};
type Columns = { patientId: string | null; subjectType: TaskSubject | null; subjectId: string | null };

/**
 * Returns the columns of what a task is about; the patient is that of the subject unless it has none.
 * @throws `invalid_parameter` for a subject without its type or the reverse, an unknown one, and another patient's
 */
export async function aboutOf(tx: Tx, { tenantId }: Context, about: About): Promise<Columns> {
  const { patient_id: patientId = null, subject_type: subjectType = null, subject_id: subjectId = null } = about;
  if ((subjectType === null) !== (subjectId === null))
    throw invalidParameter(subjectType === null ? 'subject_type' : 'subject_id', 'Name the subject by type and id.');
  const subject = subjectType && subjectId ? await findSubject(tx, tenantId, subjectType, subjectId) : null;
  const owner = subject?.patientId ?? null;
  if (owner && patientId && owner !== patientId)
    throw invalidParameter('patient_id', 'The subject belongs to another patient; leave this out.');
  if (patientId) await assertPatient(tx, tenantId, patientId);
  return { patientId: owner ?? patientId, subjectType: subject?.type ?? null, subjectId };
}

async function assertPatient(tx: Tx, tenantId: string, id: string): Promise<void> {
  const patient = await tx.patient.findFirst({ where: { tenantId, id }, select: { mergedInto: true } });
  if (!patient) throw apiError('not_found', 'There is no such patient.', { source: { pointer: '/patient_id' } });
  assertNotMerged(patient);
}

type Subject = { type: TaskSubject; patientId: string | null };

/** Returns the subject with its patient; a booking that was attached to a patient is an appointment with the same id. */
async function findSubject(tx: Tx, tenantId: string, type: TaskSubject, id: string): Promise<Subject> {
  const where = { tenantId, id };
  const select = { patientId: true };
  const unknown = invalidParameter('subject_id', 'There is no such object.');
  if (type === 'appointment' || type === 'unmatched_booking') {
    if (!isId(id)) throw unknown;
    const appointment = await tx.appointment.findFirst({ where, select });
    if (appointment) return { type: 'appointment', patientId: appointment.patientId };
    if (type === 'unmatched_booking' && (await tx.unmatchedAppointment.findFirst({ where, select: { id: true } })))
      return { type, patientId: null };
    throw unknown;
  }
  const row =
    type === 'subscription'
      ? await tx.subscription.findFirst({ where, select })
      : await tx.payment.findFirst({ where, select });
  if (!row) throw unknown;
  return { type, patientId: row.patientId };
}
