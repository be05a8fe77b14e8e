import { NoInput } from '#contract/patients.ts';
import { CreateTaskInput, ListTasksInput, ShowTasksInput, TaskIdInput, UpdateTaskInput } from '#contract/tasks.ts';
import { noPatient, patientData, router } from '../core/trpc.ts';
import { createTask } from './create-task.ts';
import { getTask, listTasks } from './list-tasks.ts';
import { listAssignees, showTasks } from './show-tasks.ts';
import { updateTask } from './update-task.ts';

export const tasksRouter = router({
  list: patientData('Task')
    .input(ListTasksInput)
    .query(({ ctx, input }) => listTasks(ctx, input)),
  show: patientData('Task', { action: 'tasks.list' })
    .input(ShowTasksInput)
    .query(({ ctx, input }) => showTasks(ctx, input)),
  get: patientData('Task')
    .input(TaskIdInput)
    .query(({ ctx, input }) => getTask(ctx, input)),
  create: patientData('Task')
    .input(CreateTaskInput)
    .mutation(({ ctx, input }) => createTask(ctx, input)),
  update: patientData('Task')
    .input(UpdateTaskInput)
    .mutation(({ ctx, input }) => updateTask(ctx, input)),
  assignees: noPatient.input(NoInput.optional()).query(({ ctx }) => listAssignees(ctx)),
});
