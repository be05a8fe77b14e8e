'use client';
import { useQuery } from '@tanstack/react-query';
import { BellRing, CalendarX, type LucideIcon, MailQuestion, Plug } from 'lucide-react';
import Link from 'next/link';
import type { IntegrationProvider } from '#contract/integrations.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { ISSUE_OPTIONS } from '../appointments/issue-words.ts';
import { useMe } from '../me.tsx';

type Line = { icon: LucideIcon; words: string; href: string | null };

/** For a clinic that has had appointments. */
const DISCONNECTED = 'It is disconnected, and nothing can be booked, moved or canceled here.';
const ISSUES = ISSUE_OPTIONS.map(({ value }) => value);

const PROVIDERS: Record<IntegrationProvider, string> = {
  stripe: 'Stripe',
  [SCHEDULING_PROVIDER.id]: SCHEDULING_PROVIDER.name,
};

const counted = (total: { count: number; capped: boolean } | undefined, one: string, many: string): string | null =>
  total && total.count > 0
    ? `${total.capped ? 'More than ' : ''}${total.count} ${total.count === 1 && !total.capped ? one : many}`
    : null;

/**
 * Tasks in addition to the day's appointments, each with a link to its page. Renders nothing without tasks, or until
 * the appointments above are shown.
 */
export function ToLookAfter({ isShown, isBeginning }: { isShown: boolean; isBeginning: boolean }) {
  const trpc = useTRPC();
  const isAdmin = useMe().user.role === 'admin';
  const invited = useQuery(trpc.patients.list.queryOptions({ by_status: 'invited', size: 1, with_total: true }));
  const unpaid = useQuery(trpc.subscriptions.list.queryOptions({ needs_attention: true, size: 1, with_total: true }));
  const stuck = useQuery(trpc.appointments.list.queryOptions({ scheduling_issue: ISSUES, size: 1, with_total: true }));
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const invitations = counted(invited.data?.total, 'invitation is not answered', 'invitations are not answered');
  const payments = counted(unpaid.data?.total, 'subscription needs attention', 'subscriptions need attention');
  const visits = counted(stuck.data?.total, 'visit ahead cannot be moved', 'visits ahead cannot be moved');
  const lines: Line[] = [
    ...(integrations.data ?? [])
      // The next steps say it already.
      .filter(({ status }) => status !== 'connected' && !isBeginning)
      .map(({ provider, status, findings }) => {
        const first = findings.find(({ advice }) => !advice) ?? findings[0];
        const wrong = status === 'disconnected' ? DISCONNECTED : (first?.message ?? 'It does not work as it should.');
        return {
          icon: Plug,
          words: `${PROVIDERS[provider]}: ${wrong}${isAdmin ? '' : ' Ask an administrator.'}`,
          href: isAdmin ? '/settings/integrations' : null,
        };
      }),
    ...(visits ? [{ icon: CalendarX, words: visits, href: `/appointments?issue=${ISSUES.join(',')}` }] : []),
    ...(payments ? [{ icon: BellRing, words: payments, href: '/subscriptions?attention=1' }] : []),
    ...(invitations ? [{ icon: MailQuestion, words: invitations, href: '/patients?status=invited' }] : []),
  ];
  // Rendered at once: lines that appear later would move others under the pointer.
  const isLoading = [invited, unpaid, stuck, integrations].some((query) => query.isPending);
  if (!isShown || isLoading || lines.length === 0) return null;
  return (
    <Card aria-label="To look after" className="mt-7 print:hidden">
      <CardHeader title="To look after" />
      <ul className="divide-y divide-line">
        {lines.map(({ icon: Icon, words, href }) => (
          <li key={words} className="flex items-center gap-3 px-4 py-2.5">
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            {href ? (
              <Link href={href} className="min-h-6 rounded-sm wrap-anywhere hover:underline">
                {words}
              </Link>
            ) : (
              <span className="wrap-anywhere">{words}</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
