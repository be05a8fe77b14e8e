import { CalendarDays } from 'lucide-react';
import Link from 'next/link';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useMe } from '../me.tsx';

/** Not an error but a first step: a new clinic has no connected calendars yet. */
export function NoTimesYet() {
  const { role } = useMe().user;
  return (
    <EmptyState
      icon={CalendarDays}
      title="Connect times first"
      description={`The calendars of your team are kept in ${SCHEDULING_PROVIDER.name}. Once it is connected, they show here.`}
      action={
        role === 'admin' ? (
          <Button asChild variant="primary">
            <Link href="/settings/integrations">Connect times</Link>
          </Button>
        ) : (
          'Ask an administrator of your clinic.'
        )
      }
    />
  );
}
