import type { Page } from '#contract/conventions.ts';
import type { ListTasksInput, TaskView } from '#contract/tasks.ts';
import type { Prisma, Task } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { presentTask } from './task.ts';

/** Lists tasks: open ones by due date, completed ones alone by completion, the latest first. Not for patients. */
export async function listTasks(ctx: Context, input: ListTasksInput): Promise<Page<TaskView>> {
  requireScope(ctx.actor, 'tasks:read', { patients: false });
  return readTasks(ctx, input, {}, (row) => presentTask(ctx, row));
}

/** Returns one task. @throws `not_found` */
export async function getTask(ctx: Context, { id }: { id: string }): Promise<TaskView> {
  requireScope(ctx.actor, 'tasks:read', { patients: false });
  const row = await ctx.db.task.findFirst({ where: { tenantId: ctx.tenantId, id } });
  if (!row) throw notFound('task');
  return presentTask(ctx, row);
}

export async function readTasks<Item extends { id: string }>(
  { db, tenantId }: Context,
  input: ListTasksInput,
  whose: Prisma.TaskWhereInput,
  present: (row: Task) => Item,
): Promise<Page<Item>> {
  const { status = ['open'] } = input;
  const isPast = status.length === 1 && status[0] === 'completed';
  const where: Prisma.TaskWhereInput = {
    tenantId,
    ...(status.length === 1 && { completedAt: isPast ? { not: null } : null }),
    ...(input.assignee_id && { assigneeId: input.assignee_id }),
    ...(input.assignee_role && { assigneeRole: input.assignee_role }),
    ...(input.patient_id && { patientId: input.patient_id }),
    ...(input.subject_id && { subjectId: input.subject_id }),
    ...(input.due_until && { dueDate: { lte: new Date(input.due_until) } }),
    ...whose,
  };
  const column = isPast ? 'completedAt' : 'dueDate';
  return readPage(
    input,
    {
      what: 'task',
      async keyOf(id) {
        const row = isId(id) ? await db.task.findFirst({ where: { tenantId, id } }) : null;
        const at = row?.[column];
        return at ? { at, id } : null;
      },
      read({ backwards, limit, offset, beyond }) {
        const isAscending = isPast === backwards;
        const direction = isAscending ? 'asc' : 'desc';
        return db.task.findMany({
          where: beyond ? { AND: [where, beyondInstant(column, beyond, isAscending)] } : where,
          orderBy: [{ [column]: direction }, { id: direction }],
          take: limit,
          skip: offset,
        });
      },
      count: (take) => db.task.count({ where, ...(take && { take }) }),
    },
    present,
  );
}
