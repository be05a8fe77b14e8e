import { TeamPage } from '#web/portal/team/team-page.tsx';

export const metadata = { title: 'Team' };

export default function Page() {
  return <TeamPage />;
}
