'use client';
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import type { PaymentView, RefundPaymentInput } from '#contract/payments.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Input } from '#web/ui/input.tsx';
import { amountText, minorUnitsOf } from '#web/ui/parse-money.ts';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { refundableAmount } from './payment-labels.ts';

const REASONS = [
  { value: 'requested_by_customer', label: 'The patient asked for it' },
  { value: 'duplicate', label: 'It was paid twice' },
  { value: 'fraudulent', label: 'It was not the cardholder' },
];

/** Refunds the rest of a payment, or a part of it. */
export function RefundDialog({ payment, onClose }: { payment: PaymentView; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { currency } = payment;
  const refundable = refundableAmount(payment);
  const maxAmount = formatMoney(refundable, currency);
  const form = useApiForm({
    schema: z.object({
      amount: z
        .string()
        .refine((text) => minorUnitsOf(text, currency) > 0, 'Write an amount, such as 12.50.')
        .refine((text) => !(minorUnitsOf(text, currency) > refundable), `No more than ${maxAmount} is left.`),
      reason: z.string(),
    }),
    defaultValues: { amount: amountText(refundable, currency), reason: '' },
    save: async ({ amount, reason }) => {
      const refunded = await client.payments.refund.mutate({
        id: payment.id,
        amount: minorUnitsOf(amount, currency),
        ...(reason && { reason: reason as NonNullable<RefundPaymentInput['reason']> }),
      });
      await Promise.all(
        [trpc.payments.pathFilter(), trpc.subscriptions.pathFilter(), trpc.timeline.pathFilter()].map((filter) =>
          queries.invalidateQueries(filter),
        ),
      );
      toast.success(
        `${formatMoney(refunded.amount_refunded, currency)} of ${formatMoney(refunded.amount_paid, currency)} refunded`,
      );
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Refund a payment"
      description={`${maxAmount} of ${formatMoney(payment.amount_paid, currency)} is left. The patient has it on their card in five to ten days.`}
    >
      <DialogForm form={form} submitLabel="Refund">
        <FormField
          name="amount"
          label={`Amount in ${currency.toUpperCase()}`}
          hint="All that is left, or a part of it."
        >
          {(field) => <Input {...field} inputMode="decimal" autoComplete="off" />}
        </FormField>
        <FormField name="reason" label="Reason" required={false} hint="For Stripe and the bank.">
          {({ value, onChange }) => (
            <Select options={REASONS} value={value} onValueChange={onChange} placeholder="None given" />
          )}
        </FormField>
      </DialogForm>
    </Dialog>
  );
}
