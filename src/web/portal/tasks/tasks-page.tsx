'use client';
import { useQuery } from '@tanstack/react-query';
import { ListTodo } from 'lucide-react';
import { useState } from 'react';
import { TASK_ROLES, type TaskRole } from '#contract/roles.ts';
import type { NamedTask } from '#contract/tasks.ts';
import { AddButton } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, useMay } from '../me.tsx';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { assigneeOf, choiceOfRole } from './assignee.ts';
import { TaskActions } from './task-actions.tsx';
import { NewTaskDialog } from './task-dialogs.tsx';
import { Assignee, DueDate, TaskLinks, TaskNote } from './task-text.tsx';

const TITLE: Column<NamedTask> = {
  header: 'Task',
  phone: 'title',
  wraps: true,
  cell: (task) => (
    <span className="grid gap-0.5">
      <span className="font-medium wrap-anywhere">{task.title}</span>
      <TaskNote note={task.note} />
      <TaskLinks task={task} />
    </span>
  ),
};
const ASSIGNEE: Column<NamedTask> = {
  header: 'Assigned to',
  wraps: true,
  // Wide enough for most names: the title would take all the room.
  cell: (task) => (
    <span className="md:block md:min-w-36">
      <Assignee task={task} />
    </span>
  ),
};
const ACTIONS: Column<NamedTask> = {
  header: 'Actions',
  hideHeader: true,
  align: 'end',
  phone: 'menu',
  cell: (task) => <TaskActions task={task} />,
};
const COLUMNS: Record<NamedTask['status'], Column<NamedTask>[]> = {
  open: [TITLE, { header: 'Due', cell: (task) => <DueDate task={task} /> }, ASSIGNEE, ACTIONS],
  completed: [
    TITLE,
    ASSIGNEE,
    {
      header: 'Completed',
      wraps: true,
      cell: ({ completed_by_name, completed_at }) => (
        <span className="md:grid">
          {completed_by_name && `${completed_by_name} `}
          <span className="text-muted md:text-[13px]">
            <DateTime value={completed_at} />
          </span>
        </span>
      ),
    },
    ACTIONS,
  ],
};

const WHOSE = [
  { value: 'mine', label: 'Mine' },
  { value: 'all', label: 'Everyone’s' },
] as const;
const STATUSES = [
  { value: 'open', label: 'Open' },
  { value: 'completed', label: 'Completed' },
];
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

type TasksFilter = {
  whose: 'mine' | 'all';
  status: NamedTask['status'];
  assignee_id?: string;
  assignee_role?: TaskRole;
};

export function TasksPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [whoseParam, setWhose] = useQueryParam('whose');
  const [statusParam, setStatus] = useQueryParam('status');
  const [assigneeParam, setAssignee] = useQueryParam('assignee');
  const [isCreating, setCreating] = useState(false);
  const mayWrite = useMay('tasks:write');
  const whose = whoseParam === 'all' ? 'all' : 'mine';
  const status = statusParam === 'completed' ? 'completed' : 'open';
  const { assignee_role } = assigneeOf(assigneeParam);
  const isFiltered = whose === 'all' && (assignee_role !== null || ID.test(assigneeParam));
  const filter: TasksFilter = {
    ...{ whose, status },
    ...(isFiltered && (assignee_role ? { assignee_role } : { assignee_id: assigneeParam })),
  };
  const { rows, ...list } = usePages({
    queryKey: trpc.tasks.show.queryKey(filter),
    read: (from, signal) => client.tasks.show.query({ ...filter, ...from }, { signal }),
  });
  const create = mayWrite && <AddButton onClick={() => setCreating(true)}>New task</AddButton>;
  return (
    <>
      <PageHeader title="Tasks" description="What the team has to do" actions={create} />
      <ViewTabs
        label="Whose tasks"
        options={WHOSE}
        value={whose}
        onChange={(next) => setWhose(next === 'all' ? 'all' : '')}
      />
      <DataTable<NamedTask>
        label="Tasks"
        columns={COLUMNS[status]}
        {...list}
        rows={rows}
        rowId={({ id }) => id}
        more={{ ...list.more, noun: 'task' }}
        toolbar={
          <>
            <FilterSelect
              label="Status"
              options={STATUSES}
              value={status}
              onChange={(next) => setStatus(next === 'open' ? '' : next)}
            />
            {whose === 'all' && <AssigneeFilter value={isFiltered ? assigneeParam : ''} onChange={setAssignee} />}
          </>
        }
        empty={
          <EmptyState
            icon={ListTodo}
            {...(isFiltered
              ? { title: 'No task matches', description: 'Choose another status, or another colleague.' }
              : EMPTY[whose][status])}
            {...(!isFiltered && status === 'open' && { action: create })}
          />
        }
      />
      {isCreating && <NewTaskDialog onClose={() => setCreating(false)} />}
    </>
  );
}

const EMPTY: Record<'mine' | 'all', Record<NamedTask['status'], { title: string; description: string }>> = {
  mine: {
    open: {
      title: 'Nothing to do',
      description: 'Tasks for you, for your role and for anyone show here.',
    },
    completed: {
      title: 'Nothing completed yet',
      description: 'What you, your role or anyone had to do shows here, the latest first.',
    },
  },
  all: {
    open: { title: 'No open tasks', description: 'Tasks of the whole clinic show here.' },
    completed: { title: 'Nothing completed yet', description: 'Completed tasks show here, the latest first.' },
  },
};

/** Filters by role or colleague; keeps a colleague in the URL who has left. */
function AssigneeFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const trpc = useTRPC();
  const colleagues = useQuery(trpc.tasks.assignees.queryOptions());
  const options = [
    { value: '', label: 'All people and roles' },
    ...TASK_ROLES.map((role) => ({ value: choiceOfRole(role), label: `Role: ${ROLE_NAMES[role]}` })),
    ...(colleagues.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const isOffered = options.some((option) => option.value === value);
  return (
    <FilterSelect
      label="Assigned to"
      options={isOffered ? options : [...options, { value, label: 'A colleague who has left' }]}
      value={value}
      onChange={onChange}
    />
  );
}
