'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import type {
  PreviewSubscriptionInput,
  Proration,
  SubscriptionPreviewView,
  UpdateSubscriptionInput,
} from '#contract/subscription-changes.ts';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Select } from '#web/ui/select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { PlanChoice } from './plan-choice.tsx';

/**
 * Preview input for another plan. A plan that replaces a single one keeps its quantity.
 * @param isConfirmed true if the patient is to have this plan twice
 */
export function toPreviewInput(
  { id, items }: Pick<SubscriptionView, 'id' | 'items'>,
  priceId: string,
  proration: Proration | undefined,
  isConfirmed: boolean,
): PreviewSubscriptionInput {
  const [first, ...others] = items;
  return {
    id,
    price_ids: [priceId],
    ...(first && others.length === 0 && { quantities: [first.quantity] }),
    ...(proration && { proration }),
    ...(isConfirmed && { allow_duplicate: true }),
  };
}

/** The change exactly as previewed; null until this price has a preview. */
export function toUpdateInput(
  priceId: string,
  shown: SubscriptionPreviewView | undefined,
  isConfirmed: boolean,
): UpdateSubscriptionInput | null {
  if (!shown || shown.price_ids[0] !== priceId) return null;
  const { subscription_id: id, price_ids, quantities, proration, proration_date } = shown;
  return { id, price_ids, quantities, proration, proration_date, ...(isConfirmed && { allow_duplicate: true }) };
}

const PRORATIONS = [
  { value: 'clinic', label: 'As your clinic has set it' },
  { value: 'next_invoice', label: 'With the next bill' },
  { value: 'now', label: 'Now' },
  { value: 'none', label: 'Not at all: the new price counts from the next period on' },
];

/** Replaces the current plan, after a preview of the costs. */
export function ChangePlanDialog({ subscription, onClose }: { subscription: SubscriptionView; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { price_ids, currency } = subscription;
  /** Plan that the patient has in another subscription already, and that staff confirmed to add again. */
  const [confirmedPriceId, setConfirmedPriceId] = useState('');
  const form = useApiForm({
    schema: z.object({ price_id: z.string().min(1, 'Choose a plan.'), proration: z.string() }),
    defaultValues: { price_id: '', proration: 'clinic' },
    save: async () => {
      // The button is disabled until the preview is loaded.
      if (!change) return;
      await client.subscriptions.update.mutate(change);
      await Promise.all(
        [trpc.subscriptions.pathFilter(), trpc.payments.pathFilter(), trpc.timeline.pathFilter()].map((filter) =>
          queries.invalidateQueries(filter),
        ),
      );
      toast.success('Plan changed');
      onClose();
    },
  });
  const [priceId, proration] = form.watch(['price_id', 'proration']);
  const isConfirmed = confirmedPriceId === priceId;
  const preview = useQuery({
    ...trpc.subscriptions.preview.queryOptions(
      toPreviewInput(subscription, priceId, proration === 'clinic' ? undefined : (proration as Proration), isConfirmed),
    ),
    enabled: priceId !== '',
    // The preview is computed for one moment, and the change uses the same.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const change = toUpdateInput(priceId, preview.error ? undefined : preview.data, isConfirmed);
  const isDuplicate = preview.error && readApiErrors(preview.error)[0].meta?.subscription_id !== undefined;
  // Stripe accepts a change of the billing period as well, but then starts a new period.
  const isSelectable = (plan: PlanView) =>
    plan.currency === currency && !(price_ids.length === 1 && price_ids[0] === plan.id);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Change the plan"
      description={
        price_ids.length > 1 ? 'The new plan takes the place of everything in this subscription.' : undefined
      }
    >
      <DialogForm form={form} submitLabel="Change plan" disabled={priceId !== '' && !change}>
        <FormField name="price_id" label="New plan">
          {({ value, onChange, ref }) => (
            <PlanChoice value={value} onChange={onChange} ref={ref} filter={isSelectable} />
          )}
        </FormField>
        <FormField name="proration" label="What is left of this period is billed">
          {({ value, onChange }) => <Select options={PRORATIONS} value={value} onValueChange={onChange} />}
        </FormField>
        <div aria-live="polite" className="min-h-20">
          {priceId === '' ? (
            <p className="text-muted">Choose a plan to see what the change costs.</p>
          ) : isDuplicate ? (
            <div role="alert" className="grid justify-items-start gap-2">
              <p className="text-danger-ink">{firstErrorMessage(preview.error)}</p>
              <p className="flex flex-wrap items-center gap-2 text-muted">
                Choose another plan, or have them pay for both:
                <Button size="sm" onClick={() => setConfirmedPriceId(priceId)}>
                  Change it anyway
                </Button>
              </p>
            </div>
          ) : preview.error ? (
            <ErrorState
              error={preview.error}
              title="What it costs could not be worked out"
              onRetry={() => void preview.refetch()}
            />
          ) : preview.data ? (
            <PreviewCosts preview={preview.data} />
          ) : (
            <Skeleton className="h-20 rounded-lg" />
          )}
        </div>
      </DialogForm>
    </Dialog>
  );
}

function PreviewCosts({ preview }: { preview: SubscriptionPreviewView }) {
  const { due_now, currency, next_invoice, lines, proration_amount } = preview;
  const parts = lines.filter(({ proration }) => proration);
  return (
    <dl aria-label="What the change costs" className="grid gap-1.5 rounded-lg bg-sunken px-3 py-2.5">
      <Row term="To pay now">{formatMoney(due_now, currency)}</Row>
      {next_invoice && (
        <Row
          term={
            <>
              Next bill, <DateTime value={next_invoice.date} shape="date" />
            </>
          }
        >
          {formatMoney(next_invoice.amount_due, currency)}
        </Row>
      )}
      {parts.length > 0 && (
        <>
          <Row
            term={due_now > 0 ? 'Of it, for the rest of this period' : 'Of the next bill, for the rest of this period'}
          >
            {formatMoney(proration_amount, currency)}
          </Row>
          {parts.map((line) => (
            <Row key={`${line.description} ${line.amount}`} term={line.description ?? 'Part of the period'} small>
              {formatMoney(line.amount, currency)}
            </Row>
          ))}
        </>
      )}
    </dl>
  );
}

function Row({ term, small, children }: { term: React.ReactNode; small?: boolean; children: React.ReactNode }) {
  return (
    <div className={`flex items-baseline justify-between gap-3 ${small ? 'pl-3 text-[13px] text-muted' : ''}`}>
      <dt className="wrap-anywhere">{term}</dt>
      <dd className="shrink-0 tabular-nums">{children}</dd>
    </div>
  );
}
