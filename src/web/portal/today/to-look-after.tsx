'use client';
import { useQuery } from '@tanstack/react-query';
import { BellRing, CalendarSearch, CalendarX, type LucideIcon, MailQuestion, Plug } from 'lucide-react';
import type { IntegrationProvider } from '#contract/integrations.ts';
import type { Permission } from '#contract/roles.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { ISSUE_OPTIONS } from '../appointments/appointment.ts';
import { useMay, useMe } from '../me.tsx';
import { unmatchedLabel, useUnmatched } from '../unmatched/unmatched-notice.tsx';

type Line = { icon: LucideIcon; text: string; href: string | null };

const ISSUES = ISSUE_OPTIONS.map(({ value }) => value);

/** `needs`: the permission of those whose work a problem of the provider holds up. */
const PROVIDERS: Record<IntegrationProvider, { name: string; needs: Permission; disconnected: string }> = {
  stripe: {
    name: 'Stripe',
    needs: 'subscriptions:write',
    disconnected: 'It is not connected, and nothing can be billed here.',
  },
  [SCHEDULING_PROVIDER.id]: {
    name: SCHEDULING_PROVIDER.name,
    needs: 'appointments:write',
    // For a clinic that has had appointments.
    disconnected: 'It is disconnected, and nothing can be booked, moved or canceled here.',
  },
};

const linkedCount = (
  total: { count: number; capped: boolean } | undefined,
  singular: string,
  plural: string,
): string | null =>
  total && total.count > 0
    ? `${total.capped ? 'More than ' : ''}${total.count} ${total.count === 1 && !total.capped ? singular : plural}`
    : null;

/**
 * Problems and open ends, each with a link to its page, for those who may look after them. Renders nothing without any,
 * or until the content above is shown.
 */
export function ToLookAfter({ isShown, isBeginning }: { isShown: boolean; isBeginning: boolean }) {
  const trpc = useTRPC();
  const { permissions } = useMe();
  const mayConnect = useMay('settings:manage');
  const invited = useQuery({
    ...trpc.patients.list.queryOptions({ by_status: 'invited', size: 1, with_total: true }),
    enabled: useMay('patients:write'),
  });
  const unpaid = useQuery({
    ...trpc.subscriptions.list.queryOptions({ needs_attention: true, size: 1, with_total: true }),
    enabled: useMay('subscriptions:write'),
  });
  const unmovable = useQuery({
    ...trpc.appointments.list.queryOptions({ scheduling_issue: ISSUES, size: 1, with_total: true }),
    enabled: useMay('appointments:write'),
  });
  const unmatched = useUnmatched();
  const unmatchedTotal = unmatched.data?.total;
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const invitations = linkedCount(invited.data?.total, 'invitation is not answered', 'invitations are not answered');
  const payments = linkedCount(unpaid.data?.total, 'subscription needs attention', 'subscriptions need attention');
  const unmovableAppointments = linkedCount(
    unmovable.data?.total,
    'appointment ahead cannot be moved',
    'appointments ahead cannot be moved',
  );
  const lines: Line[] = [
    ...(integrations.data ?? [])
      // The next steps say it already.
      .filter(({ status }) => status !== 'connected' && !isBeginning)
      .filter(({ provider }) => mayConnect || permissions.includes(PROVIDERS[provider].needs))
      .map(({ provider, status, findings }) => {
        const first = findings.find(({ advice }) => !advice) ?? findings[0];
        const { name, disconnected } = PROVIDERS[provider];
        const problem = status === 'disconnected' ? disconnected : (first?.message ?? 'It does not work as it should.');
        return {
          icon: Plug,
          text: `${name}: ${problem}${mayConnect ? '' : ' Ask an administrator.'}`,
          href: mayConnect ? '/settings/integrations' : null,
        };
      }),
    ...(unmatchedTotal && unmatchedTotal.count > 0
      ? [{ icon: CalendarSearch, text: unmatchedLabel(unmatchedTotal), href: '/appointments/unmatched' }]
      : []),
    ...(unmovableAppointments
      ? [{ icon: CalendarX, text: unmovableAppointments, href: `/appointments?issue=${ISSUES.join(',')}` }]
      : []),
    ...(payments ? [{ icon: BellRing, text: payments, href: '/subscriptions?attention=1' }] : []),
    ...(invitations ? [{ icon: MailQuestion, text: invitations, href: '/patients?status=invited' }] : []),
  ];
  // Rendered at once: lines that appear later would move others under the pointer.
  const isLoading = [invited, unpaid, unmovable, unmatched, integrations].some((query) => query.isLoading);
  if (!isShown || isLoading || lines.length === 0) return null;
  return (
    <Card aria-label="Needs attention" className="mt-7 print:hidden">
      <CardHeader title="Needs attention" />
      <ul className="divide-y divide-line">
        {lines.map(({ icon: Icon, text, href }) => (
          <li key={text} className="flex items-center gap-3 px-4 py-2.5">
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            {href ? (
              <Link href={href} className="min-h-6 rounded-sm wrap-anywhere hover:underline">
                {text}
              </Link>
            ) : (
              <span className="wrap-anywhere">{text}</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
