'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import type { CataloguePlanView } from '#contract/plan-changes.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { useApiForm } from '#web/ui/form.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { NameFields, PriceFields, TermFields } from './plan-fields.tsx';
import {
  checkPrice,
  detailsOf,
  detailsShape,
  NO_DETAILS,
  newPrice,
  priceOf,
  priceProblems,
  priceShape,
  toDetails,
  toPrice,
} from './plan-form-values.ts';
import { WithPreview } from './plan-preview.tsx';
import { describePrice } from './plan-terms.ts';
import { usePlanChange } from './use-plan-change.ts';

type PlanDialogProps = {
  /** As it was when the dialog was opened, so that a change names the state that the user has seen. */
  plan: CataloguePlanView;
  onClose: () => void;
};

export function NewPlanDialog({ currencies, onClose }: { currencies: string[]; onClose: () => void }) {
  const client = useTRPCClient();
  const change = usePlanChange();
  // Sending this form again makes no second plan.
  const [request_id] = useState(() => crypto.randomUUID());
  const form = useApiForm({
    schema: z.object({ ...detailsShape, ...priceShape }).superRefine(checkPrice),
    defaultValues: { ...NO_DETAILS, ...newPrice(currencies[0] ?? 'usd') },
    save: async (values) => {
      const input = { request_id, ...toDetails(values), ...toPrice(values) };
      await change(() => client.plans.create.mutate(input));
      toast.success('Plan made. It is offered from now on.');
      onClose();
    },
  });
  const values = form.watch();
  return (
    <Dialog open onOpenChange={onClose} size="lg" title="New plan">
      <DialogForm form={form} submitLabel="Make plan">
        <WithPreview values={values}>
          <NameFields />
          <PriceFields currency={values.currency} currencies={currencies} />
          <TermFields />
        </WithPreview>
      </DialogForm>
    </Dialog>
  );
}

export function EditPlanDialog({ plan, onClose }: PlanDialogProps) {
  const client = useTRPCClient();
  const change = usePlanChange();
  const { price_id, version } = plan;
  const price = priceOf(plan);
  const form = useApiForm({
    schema: z.object(detailsShape),
    defaultValues: detailsOf(plan),
    save: async (values) => {
      await change(() => client.plans.update.mutate({ price_id, version, ...toDetails(values) }));
      toast.success('Plan changed');
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} size="lg" title={`Edit ${plan.name}`}>
      <DialogForm form={form} submitLabel="Save plan">
        <WithPreview values={priceProblems(price).length === 0 ? { ...price, ...form.watch() } : null}>
          <NameFields others={plan.others} />
          <TermFields />
        </WithPreview>
      </DialogForm>
    </Dialog>
  );
}

/** Who keeps a price that is not offered any more. */
function useKeepers({ price_id }: CataloguePlanView): string {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.plans.countSubscriptions.queryOptions({ price_id }));
  if (!data) return 'Live subscriptions keep it.';
  const { live_subscriptions: count } = data;
  if (count === 0) return 'No live subscription has it.';
  return `${pluralize(count, 'live subscription')} ${count === 1 ? 'keeps' : 'keep'} it.`;
}

export function ChangePriceDialog({
  plan,
  currencies,
  onClose,
}: PlanDialogProps & {
  currencies: string[];
}) {
  const client = useTRPCClient();
  const change = usePlanChange();
  const keepers = useKeepers(plan);
  const { price_id, version } = plan;
  const form = useApiForm({
    schema: z.object(priceShape).superRefine(checkPrice),
    defaultValues: priceOf(plan),
    save: async (values) => {
      await change(() => client.plans.changePrice.mutate({ price_id, version, ...toPrice(values) }));
      toast.success('The plan has a new price');
      onClose();
    },
  });
  const values = form.watch();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={`Change the price of ${plan.name}`}
      description={`A price is never changed at Stripe: a new one is made, and ${describePrice(plan)} is archived. ${keepers}`}
    >
      <DialogForm form={form} submitLabel="Change price">
        <WithPreview values={{ ...detailsOf(plan), ...values }}>
          <PriceFields currency={values.currency} currencies={currencies} />
        </WithPreview>
      </DialogForm>
    </Dialog>
  );
}

export function ArchivePlanDialog({ plan, onClose }: PlanDialogProps) {
  const client = useTRPCClient();
  const { price_id } = plan;
  return (
    <ConfirmDialog
      title={`Archive ${plan.name}, ${describePrice(plan)}?`}
      description={`No patient can choose it any more. ${useKeepers(plan)} You can offer it again.`}
      confirmLabel="Archive plan"
      act={() => client.plans.archive.mutate({ price_id })}
      done="Plan archived"
      refresh={useInvalidate('plans')}
      onClose={onClose}
    />
  );
}

export function OfferPlanDialog({ plan, onClose }: PlanDialogProps) {
  const client = useTRPCClient();
  const { price_id, revives } = plan;
  const others =
    revives > 0 ? ` ${pluralize(revives, 'other price')} of it ${revives === 1 ? 'is' : 'are'} offered too.` : '';
  return (
    <ConfirmDialog
      title={`Offer ${plan.name}, ${describePrice(plan)}, again?`}
      description={`New subscriptions can have it from now on.${others}`}
      confirmLabel="Offer again"
      confirmVariant="primary"
      keepLabel="Not now"
      act={() => client.plans.unarchive.mutate({ price_id })}
      done="Plan offered again"
      refresh={useInvalidate('plans')}
      onClose={onClose}
    />
  );
}
