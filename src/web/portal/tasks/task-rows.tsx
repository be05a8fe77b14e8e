'use client';
import type { NamedTask } from '#contract/tasks.ts';
import { cn } from '#web/ui/cn.ts';
import { dueSentence, isOverdue } from './due.ts';
import { TaskActions } from './task-actions.tsx';
import { Assignee, TaskLinks, TaskNote } from './task-text.tsx';
import { useToday } from './use-today.ts';

const isForAnyone = ({ assignee_id, assignee_role }: NamedTask): boolean => !assignee_id && !assignee_role;

/** Open tasks in a card of another page; on a patient's page their name is redundant, and the assignee is not. */
export function TaskRows({ tasks, of }: { tasks: NamedTask[]; of: 'reader' | 'patient' }) {
  const today = useToday();
  return (
    <ul className="divide-y divide-line">
      {tasks.map((task) => (
        <li key={task.id} className="flex items-start justify-between gap-3 px-4 py-2.5">
          <div className="grid min-w-0 gap-0.5">
            <p className="font-medium wrap-anywhere">{task.title}</p>
            <TaskNote note={task.note} />
            <TaskLinks task={task} hidesPatient={of === 'patient'} />
            {(task.due_date || of === 'patient') && (
              <p className="flex flex-wrap gap-x-2 text-[13px] text-muted">
                {task.due_date && (
                  <span className={cn(isOverdue(task.due_date, today) && 'text-warn-ink')}>
                    {dueSentence(task.due_date, today)}
                  </span>
                )}
                {of === 'patient' && (
                  <span>
                    {isForAnyone(task) ? (
                      'For anyone'
                    ) : (
                      <>
                        Assigned to <Assignee task={task} />
                      </>
                    )}
                  </span>
                )}
              </p>
            )}
          </div>
          <TaskActions task={task} />
        </li>
      ))}
    </ul>
  );
}
