import { TasksPage } from '#web/portal/tasks/tasks-page.tsx';

export const metadata = { title: 'Tasks' };

export default function Page() {
  return <TasksPage />;
}
