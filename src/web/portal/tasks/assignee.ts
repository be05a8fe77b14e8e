import { TASK_ROLES, type TaskRole } from '#contract/roles.ts';
import type { NamedTask } from '#contract/tasks.ts';

type Assignee = Pick<NamedTask, 'assignee_id' | 'assignee_role'>;

/** The value for "Anyone" in a select; the others are `role:…` or the id of a staff user. */
export const ANYONE = 'anyone';
const ROLE_PREFIX = 'role:';

export const choiceOfRole = (role: TaskRole): string => `${ROLE_PREFIX}${role}`;

/** The select's value for a task; empty where its staff user has left, so that another has to be chosen. */
export function choiceOf({ assignee_id, assignee_role, assignee_left }: Assignee & Pick<NamedTask, 'assignee_left'>) {
  if (assignee_left) return '';
  if (assignee_role) return choiceOfRole(assignee_role);
  return assignee_id ?? ANYONE;
}

/** The assignee of a select's value. The value may come from a URL: an unknown role is no role. */
export function assigneeOf(choice: string): Assignee {
  if (choice.startsWith(ROLE_PREFIX)) {
    const role = TASK_ROLES.find((one) => choiceOfRole(one) === choice) ?? null;
    return { assignee_id: null, assignee_role: role };
  }
  return { assignee_id: choice === ANYONE ? null : choice, assignee_role: null };
}
