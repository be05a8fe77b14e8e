'use client';
import { Ban, History, Link2, MoreHorizontal, SlidersHorizontal } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { ENDED_STATUSES } from '#contract/ended-statuses.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import { DropdownMenu } from '#web/ui/dropdown-menu.tsx';

const CheckoutLinkDialog = dynamic(() => import('./checkout-link.tsx').then((module) => module.CheckoutLinkDialog), {
  ssr: false,
});

const ManageLinkDialog = dynamic(
  () => import('../manage-link/manage-link.tsx').then((module) => module.ManageLinkDialog),
  { ssr: false },
);

const CancelSubscription = dynamic(
  () => import('./cancel-subscription.tsx').then((module) => module.CancelSubscription),
  { ssr: false },
);

const TimelineSheet = dynamic(() => import('../timeline/timeline-sheet.tsx').then((module) => module.TimelineSheet), {
  ssr: false,
});

export function SubscriptionActions({ subscription }: { subscription: SubscriptionView }) {
  const [open, setOpen] = useState<'cancel' | 'link' | 'manage' | 'timeline' | null>(null);
  const hasEnded = ENDED_STATUSES.includes(subscription.status);
  const payable = !hasEnded && subscription.next_action !== 'none';
  return (
    <span className="relative inline-flex items-center gap-1">
      {payable && (
        <Button size="sm" onClick={() => setOpen('link')} className="max-xl:hidden">
          <Link2 aria-hidden />
          Payment link
        </Button>
      )}
      <DropdownMenu
        label="Subscription actions"
        trigger={
          <Button variant="ghost" size="sm" aria-label="Subscription actions" className="max-md:h-9">
            <MoreHorizontal aria-hidden />
          </Button>
        }
        entries={[
          ...(payable
            ? [{ kind: 'action' as const, label: 'Payment link', icon: Link2, onSelect: () => setOpen('link') }]
            : []),
          ...(hasEnded
            ? []
            : [
                {
                  kind: 'action' as const,
                  label: 'Link to manage',
                  icon: SlidersHorizontal,
                  onSelect: () => setOpen('manage'),
                },
              ]),
          { kind: 'action', label: 'What happened', icon: History, onSelect: () => setOpen('timeline') },
          ...(hasEnded
            ? []
            : [
                {
                  kind: 'action' as const,
                  label: 'Cancel subscription',
                  icon: Ban,
                  danger: true,
                  onSelect: () => setOpen('cancel'),
                },
              ]),
        ]}
      />
      {open === 'cancel' && <CancelSubscription subscription={subscription} onClose={() => setOpen(null)} />}
      {open === 'timeline' && (
        <TimelineSheet
          patientId={subscription.patient_id}
          objectId={subscription.id}
          title={`What happened: ${subscription.name ?? 'subscription'}`}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'manage' && <ManageLinkDialog subscription={subscription} onClose={() => setOpen(null)} />}
      {open === 'link' && <CheckoutLinkDialog subscription={subscription} onClose={() => setOpen(null)} />}
    </span>
  );
}
