import { CircleCheck } from 'lucide-react';
import type { CheckoutView } from '#contract/subscriptions.ts';
import { Card } from '#portal/ui/card.tsx';

/** How it went. `next_action` tells what the patient came for; a link opened again after that says only that it is done. */
export function CheckoutDone({ checkout }: { checkout: CheckoutView }) {
  const title =
    checkout.next_action === 'setup'
      ? 'Your card is saved'
      : checkout.next_action === 'payment'
        ? 'Thank you, your payment went through'
        : 'All done';
  const ended = checkout.status === 'canceled' || checkout.status === 'incomplete_expired';
  return (
    <Card role="status" className="flex flex-col items-center px-6 py-10 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-good-soft text-good-ink">
        <CircleCheck aria-hidden className="size-6" />
      </span>
      <h1 className="text-lg font-semibold tracking-tight">{ended ? 'This subscription has ended' : title}</h1>
      <p className="mt-1 text-balance text-muted">
        {ended
          ? `Ask ${checkout.clinic} if you want to start again.`
          : `${checkout.name ?? 'Your subscription'} with ${checkout.clinic} is set up. You can close this page.`}
      </p>
    </Card>
  );
}
