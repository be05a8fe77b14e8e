import { z } from 'zod';
import { CreateTaskInput, ListTasksInput, TaskIdInput, TaskView, UpdateTaskInput } from '../tasks.ts';
import type { Route } from './route.ts';

const common = { tag: 'Tasks', patient: false, output: TaskView } as const;

export const TASK_ROUTES: Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/tasks',
    procedure: 'tasks.list',
    summary: 'List tasks of staff: open ones by due date, completed ones alone by completion, the latest first',
    input: ListTasksInput,
    output: z.array(TaskView),
    list: 'page',
    scope: 'tasks:read',
  },
  {
    ...common,
    method: 'POST',
    path: '/tasks',
    procedure: 'tasks.create',
    summary: 'Create a task for a staff user, a role or anyone',
    input: CreateTaskInput,
    status: 201,
    scope: 'tasks:write',
    does: ['tasks.create'],
  },
  {
    ...common,
    method: 'GET',
    path: '/tasks/{id}',
    procedure: 'tasks.get',
    summary: 'Get a task',
    input: TaskIdInput,
    scope: 'tasks:read',
  },
  {
    ...common,
    method: 'PATCH',
    path: '/tasks/{id}',
    procedure: 'tasks.update',
    summary: 'Change, complete or reopen a task',
    input: UpdateTaskInput,
    scope: 'tasks:write',
  },
];
