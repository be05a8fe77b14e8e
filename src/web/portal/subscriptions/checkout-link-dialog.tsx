import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { CheckoutLink } from './checkout-link.tsx';

type CheckoutLinkDialogProps = { subscription: SubscriptionView; onClose: () => void };

export function CheckoutLinkDialog({ subscription, onClose }: CheckoutLinkDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title="Payment link" size="sm">
      <DialogBody className="pb-5">
        <CheckoutLink subscription={subscription} />
      </DialogBody>
    </Dialog>
  );
}
