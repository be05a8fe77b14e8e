import type { CreateTaskInput, TaskView } from '#contract/tasks.ts';
import { authorOf, requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { aboutOf, assigneeOf, eventPayload, NO_DUE_DATE, presentTask, sealNote } from './task.ts';

/**
 * Creates a task for a staff user, a role or anyone. Not for patients.
 * @throws `invalid_parameter`, `not_found` for an unknown patient
 */
export async function createTask(ctx: Context, input: CreateTaskInput): Promise<TaskView> {
  requireScope(ctx.actor, 'tasks:write', { patients: false });
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const by = authorOf(ctx.actor);
  return ctx.db.$transaction(async (tx) => {
    const row = await tx.task.create({
      data: {
        ...{ id, tenantId, title: input.title },
        note: sealNote(ctx, { tenantId, id }, input.note ?? null),
        dueDate: input.due_date ? new Date(input.due_date) : NO_DUE_DATE,
        ...(await assigneeOf(tx, ctx, input)),
        ...(await aboutOf(tx, ctx, input)),
        ...{ createdByType: by.type, createdBy: by.id, createdAt: now, updatedAt: now },
      },
    });
    const view = presentTask(ctx, row);
    await record(tx, ctx, {
      action: 'tasks.create',
      object: { type: 'Task', id },
      patientId: row.patientId,
      event: 'task.created',
      payload: eventPayload(view),
      response: view,
      details: { ...(row.subjectType && { about: row.subjectType }) },
    });
    return view;
  });
}
