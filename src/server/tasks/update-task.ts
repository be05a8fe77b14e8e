import type { TaskView, UpdateTaskInput } from '#contract/tasks.ts';
import type { Task } from '#generated/prisma/client.ts';
import { authorOf, requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { assigneeOf, eventPayload, lockTask, NO_DUE_DATE, presentTask, sealNote } from './task.ts';

/**
 * Changes, completes or opens a task again. Omitted fields stay; completing it twice changes nothing. Not for patients.
 * @throws `not_found`, `invalid_parameter`
 */
export async function updateTask(ctx: Context, input: UpdateTaskInput): Promise<TaskView> {
  requireScope(ctx.actor, 'tasks:write', { patients: false });
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const before = await lockTask(tx, ctx, input.id);
    if (before.patientId) ctx.trail.patients.add(before.patientId);
    const data = {
      ...(input.title !== undefined && { title: input.title }),
      ...(input.note !== undefined && { note: sealNote(ctx, before, input.note) }),
      ...(input.due_date !== undefined && { dueDate: input.due_date ? new Date(input.due_date) : NO_DUE_DATE }),
      ...(isSameAssignee(before, input) ? {} : await assigneeOf(tx, ctx, input)),
      ...completionOf(ctx, before, input),
    };
    const shown = presentTask(ctx, before);
    const after = { ...shown, ...presentTask(ctx, { ...before, ...data }) };
    const fields = (Object.keys(after) as (keyof TaskView)[]).filter((name) => after[name] !== shown[name]);
    if (fields.length === 0) return shown;
    const row = await tx.task.update({
      where: { id: before.id, tenantId },
      data: { ...data, updatedAt: ctx.clock.now() },
    });
    const view = presentTask(ctx, row);
    const isCompleted = before.completedAt === null && row.completedAt !== null;
    await record(tx, ctx, {
      action: isCompleted ? 'tasks.complete' : 'tasks.update',
      object: { type: 'Task', id: row.id },
      patientId: row.patientId,
      event: isCompleted ? 'task.completed' : 'task.updated',
      payload: eventPayload(view),
      response: view,
      details: { fields },
    });
    return view;
  });
}

/** A client that sends an unchanged assignee back is not rejected when they have left. */
const isSameAssignee = (before: Task, { assignee_id, assignee_role }: UpdateTaskInput): boolean =>
  assignee_id === before.assigneeId && (assignee_role ?? null) === before.assigneeRole;

function completionOf(ctx: Context, { completedAt }: Task, { status }: UpdateTaskInput): Partial<Task> {
  if (status === 'open') return { completedAt: null, completedByType: null, completedBy: null };
  if (status !== 'completed' || completedAt) return {};
  const by = authorOf(ctx.actor);
  return { completedAt: ctx.clock.now(), completedByType: by.type, completedBy: by.id };
}
