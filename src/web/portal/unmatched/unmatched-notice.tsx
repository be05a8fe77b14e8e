'use client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/link.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';

/** The bookings to match, counted; not loaded for staff who may not match them. */
export function useUnmatched() {
  const trpc = useTRPC();
  const enabled = useMay('unmatched:write');
  return useQuery({ ...trpc.appointments.listUnmatched.queryOptions({ size: 1, with_total: true }), enabled });
}

/** Leads staff who may match bookings to them; renders nothing where there are none. */
export function UnmatchedNotice() {
  const total = useUnmatched().data?.total;
  return total && total.count > 0 ? <UnmatchedLink {...total} /> : null;
}

/** "One booking to match" */
export const unmatchedLabel = ({ count, capped = false }: { count: number; capped?: boolean }): string =>
  count === 1 ? 'One booking to match' : `${capped ? 'More than ' : ''}${count} bookings to match`;

export const UnmatchedLink = (total: { count: number; capped?: boolean }) => (
  <Link
    href="/appointments/unmatched"
    className="inline-flex min-h-6 items-center rounded-sm text-accent-ink underline underline-offset-2"
  >
    {unmatchedLabel(total)}
  </Link>
);
