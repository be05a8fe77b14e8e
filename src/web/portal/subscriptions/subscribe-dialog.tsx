'use client';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { CheckoutLink } from './checkout-link.tsx';
import { SubscribeForm } from './subscribe-form.tsx';

type SubscribeDialogProps = { open: boolean; onOpenChange: (open: boolean) => void; patient?: ComboboxOption };

/** Two steps: choose the plan, then give the patient the payment link. */
export function SubscribeDialog({ open, onOpenChange, patient }: SubscribeDialogProps) {
  const [created, setCreated] = useState<SubscriptionView | null>(null);
  const close = () => {
    onOpenChange(false);
    setCreated(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={created ? 'Subscription created' : patient ? `New subscription for ${patient.label}` : 'New subscription'}
    >
      {created ? (
        <>
          <DialogBody>
            <CheckoutLink subscription={created} />
          </DialogBody>
          <DialogFooter>
            <Button onClick={close}>Done</Button>
          </DialogFooter>
        </>
      ) : (
        <SubscribeForm {...(patient && { knownPatient: patient })} onCreated={setCreated} />
      )}
    </Dialog>
  );
}
