'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import type { SentOutcomeView } from '#contract/subscriptions.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import type { SubscriptionRow } from './subscription-columns.tsx';

type SendLinksDialogProps = { rows: SubscriptionRow[]; onClose: () => void };

const people = (count: number) => (count === 1 ? '1 patient' : `${count} patients`);

/** Sends the payment links of several subscriptions, and reports each result. */
export function SendLinksDialog({ rows, onClose }: SendLinksDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [by, setBy] = useState<'email' | 'sms'>('email');
  const send = useMutation({
    mutationFn: () => client.subscriptions.sendCheckoutLinks.mutate({ subscription_ids: rows.map(({ id }) => id), by }),
    onSettled: () => queries.invalidateQueries(trpc.subscriptions.listCheckoutLinks.pathFilter()),
  });
  const outcomes = send.data?.items;
  return (
    <Dialog open onOpenChange={onClose} title={outcomes ? 'Payment links' : 'Send payment links'}>
      <DialogBody className="grid content-start gap-4">
        {outcomes ? (
          <Outcomes rows={rows} outcomes={outcomes} />
        ) : (
          <>
            <p className="text-muted">
              {people(rows.length)} will get a link to pay or to save a card. A link works for 24 hours; one that is
              open already is sent again.
            </p>
            <RadioGroup.Root
              value={by}
              onValueChange={(value) => setBy(value as 'email' | 'sms')}
              aria-label="How it is sent"
              className="grid gap-2"
            >
              <ChoiceCard value="email" title="By email" />
              <ChoiceCard value="sms" title="By text message" hint="To patients whose phone number you have." />
            </RadioGroup.Root>
            {send.error && <FormError>{firstErrorMessage(send.error)}</FormError>}
          </>
        )}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{outcomes ? 'Done' : 'Close'}</Button>
        {!outcomes && (
          <Button variant="primary" pending={send.isPending} onClick={() => send.mutate()}>
            Send to {people(rows.length)}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

function Outcomes({ rows, outcomes }: { rows: SubscriptionRow[]; outcomes: SentOutcomeView[] }) {
  const sent = outcomes.filter(({ outcome }) => outcome !== 'not_sent').length;
  const nameOf = new Map(rows.map(({ id, patient }) => [id, patient?.name]));
  return (
    <>
      <p role="status" className="font-medium">
        {sent === outcomes.length
          ? `Sent to ${people(sent)}.`
          : `Sent to ${sent} of ${people(outcomes.length)}. See below who was not reached, and why.`}
      </p>
      <ul aria-label="Result for each patient" className="divide-y divide-line">
        {outcomes.map((outcome) => (
          <li key={outcome.subscription_id} className="grid gap-0.5 py-2">
            <span className="font-medium wrap-anywhere">{nameOf.get(outcome.subscription_id) ?? 'A patient'}</span>
            <span className={outcome.outcome === 'not_sent' ? 'text-danger-ink' : 'text-muted wrap-anywhere'}>
              {outcomeMessage(outcome)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function outcomeMessage({ outcome, sent_to, reason }: SentOutcomeView): string {
  if (outcome === 'sent') return `Sent to ${sent_to}`;
  if (outcome === 'sent_already') return `Was sent to ${sent_to} a few minutes ago, so not again`;
  return reason ?? 'Not sent. Try again.';
}
