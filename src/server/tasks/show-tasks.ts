import type { Page } from '#contract/conventions.ts';
import type { AssigneeView, NamedTask, ShowTasksInput } from '#contract/tasks.ts';
import type { Prisma, Task } from '#generated/prisma/client.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import { readTasks } from './list-tasks.ts';
import { ASSIGNABLE, presentTask } from './task.ts';

/**
 * For the portal: lists tasks with the names of the people in them. `mine` are the caller's own, their role's and anyone's,
 * and for those who manage the team also the tasks of colleagues who have left.
 */
export async function showTasks(ctx: Context, { whose, ...input }: ShowTasksInput): Promise<Page<NamedTask>> {
  requireStaff(ctx.actor, 'tasks:read');
  const page = await readTasks(ctx, input, whose === 'mine' ? await mineOf(ctx) : {}, (row) => row);
  return { ...page, items: await nameTasks(ctx, page.items) };
}

async function mineOf({ actor, db, tenantId }: Context): Promise<Prisma.TaskWhereInput> {
  if (!isStaff(actor)) return {};
  const mine = [{ assigneeId: actor.userId }, { assigneeRole: actor.kind }, { assigneeId: null, assigneeRole: null }];
  if (!actor.permissions.has('team:manage')) return { OR: mine };
  const staff = await db.staffUser.findMany({ where: { ...ASSIGNABLE, tenantId }, select: { id: true } });
  return { OR: [...mine, { assigneeId: { not: null, notIn: staff.map(({ id }) => id) } }] };
}

async function nameTasks(ctx: Context, rows: Task[]): Promise<NamedTask[]> {
  const { db, tenantId } = ctx;
  const among = (ids: (string | null)[]) => ({
    tenantId,
    id: { in: [...new Set(ids.filter((id) => id !== null && isId(id)))] as string[] },
  });
  const people = rows.flatMap(({ assigneeId, createdBy, completedBy }) => [assigneeId, createdBy, completedBy]);
  // A booking that was attached to a patient since then.
  const bookings = rows.flatMap((row) => (row.subjectType === 'unmatched_booking' ? [row.subjectId] : []));
  const attached =
    bookings.length > 0
      ? await db.appointment.findMany({ where: among(bookings), select: { id: true, patientId: true } })
      : [];
  const patientOf = new Map(attached.map(({ id, patientId }) => [id, patientId]));
  const [staff, active, applications, patients] = await Promise.all([
    db.staffUser.findMany({ where: among(people), select: { id: true, name: true } }),
    db.staffUser.findMany({ where: { ...among(people), ...ASSIGNABLE }, select: { id: true } }),
    db.application.findMany({ where: among(people), select: { id: true, name: true } }),
    db.patient.findMany({
      where: among([...rows.map(({ patientId }) => patientId), ...patientOf.values()]),
      select: { id: true, firstName: true, lastName: true, email: true, phoneNumber: true, birthDate: true },
    }),
  ]);
  const names = new Map([...applications, ...staff].map(({ id, name }) => [id, name]));
  const assignable = new Set(active.map(({ id }) => id));
  const labels = new Map(
    patients.map(({ id, firstName, lastName, email, phoneNumber, birthDate }) => [
      id,
      {
        patient_name: [firstName, lastName].filter(Boolean).join(' ') || email || phoneNumber,
        patient_birth_date: birthDate?.toISOString().slice(0, 10) ?? null,
      },
    ]),
  );
  const nameOf = (id: string | null) => (id ? (names.get(id) ?? null) : null);
  return rows.map((row) => {
    const attachedTo = patientOf.get(row.subjectId ?? '');
    const about = attachedTo && { subjectType: 'appointment', patientId: row.patientId ?? attachedTo };
    const task = presentTask(ctx, { ...row, ...about });
    return {
      ...task,
      ...(labels.get(task.patient_id ?? '') ?? { patient_name: null, patient_birth_date: null }),
      assignee_name: nameOf(row.assigneeId),
      assignee_left: row.assigneeId !== null && !assignable.has(row.assigneeId),
      created_by_name: nameOf(row.createdBy),
      completed_by_name: nameOf(row.completedBy),
    };
  });
}

/** Lists the staff users who may be assigned a task, by name. */
export async function listAssignees(ctx: Context): Promise<AssigneeView[]> {
  requireStaff(ctx.actor, 'tasks:read');
  return ctx.db.staffUser.findMany({
    where: { ...ASSIGNABLE, tenantId: ctx.tenantId },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    select: { id: true, name: true },
  });
}
