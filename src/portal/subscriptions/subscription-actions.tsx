'use client';
import { Ban, Link2, MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#portal/ui/button.tsx';
import { Dialog, DialogBody } from '#portal/ui/dialog.tsx';
import { DropdownMenu, MenuItem } from '#portal/ui/dropdown-menu.tsx';
import { CancelSubscription } from './cancel-subscription.tsx';
import { CheckoutLink } from './checkout-link.tsx';

const ENDED = new Set<SubscriptionView['status']>(['canceled', 'incomplete_expired']);

export function SubscriptionActions({ subscription }: { subscription: SubscriptionView }) {
  const [open, setOpen] = useState<'cancel' | 'link' | null>(null);
  if (ENDED.has(subscription.status)) return null;
  const payable = subscription.next_action !== 'none';
  return (
    <span className="relative inline-flex items-center gap-1">
      {payable && (
        <Button size="sm" onClick={() => setOpen('link')} className="max-md:hidden">
          <Link2 aria-hidden />
          Payment link
        </Button>
      )}
      <DropdownMenu
        trigger={
          <Button variant="ghost" size="sm" aria-label="Subscription actions" className="max-md:h-9">
            <MoreHorizontal aria-hidden />
          </Button>
        }
      >
        {payable && (
          <MenuItem icon={Link2} onSelect={() => setOpen('link')} className="md:hidden">
            Payment link
          </MenuItem>
        )}
        <MenuItem icon={Ban} danger onSelect={() => setOpen('cancel')}>
          Cancel subscription
        </MenuItem>
      </DropdownMenu>
      {open === 'cancel' && <CancelSubscription subscription={subscription} onClose={() => setOpen(null)} />}
      <Dialog open={open === 'link'} onOpenChange={() => setOpen(null)} title="Payment link" size="sm">
        <DialogBody className="pb-5">
          <CheckoutLink subscription={subscription} />
        </DialogBody>
      </Dialog>
    </span>
  );
}
