'use client';
import { useQuery } from '@tanstack/react-query';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Link } from '#web/ui/link.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';

/** Shows admins the number of upcoming unmatched bookings; renders nothing where there are none. */
export function UnmatchedNotice() {
  const trpc = useTRPC();
  const isAdmin = useMe().user.role === 'admin';
  const integrations = useQuery({ ...trpc.integrations.list.queryOptions({}), enabled: isAdmin });
  const count = integrations.data?.find(({ provider }) => provider === SCHEDULING_PROVIDER.id)?.sync?.unmatched ?? 0;
  return count > 0 ? <UnmatchedLink count={count} /> : null;
}

export const UnmatchedLink = ({ count }: { count: number }) => (
  <Link
    href="/appointments/unmatched"
    className="inline-flex min-h-6 items-center rounded-sm text-accent-ink underline underline-offset-2"
  >
    {count === 1 ? 'One booking to match' : `${count} bookings to match`}
  </Link>
);
