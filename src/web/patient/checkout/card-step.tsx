'use client';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { FormError } from '../../ui/form-error.tsx';
import { CardFields } from './card-fields.tsx';
import { actionWords } from './checkout-words.ts';
import { PlanSummary } from './plan-summary.tsx';
import { PromotionCode } from './promotion-code.tsx';

type CardStepProps = {
  view: CheckoutView;
  /** The patient returned from the bank's page, which declined the payment. */
  isRefused: boolean;
  onConfirmed: () => Promise<void>;
  onRedeem: (code: string) => Promise<void>;
};

/** The payment step: the plan summary and the card fields. */
export function CardStep({ view, isRefused, onConfirmed, onRedeem }: CardStepProps) {
  return (
    <div className="grid gap-6">
      <h1 className="text-xl font-semibold tracking-tight">
        {view.next_action === 'setup' ? 'Save a card' : 'Complete your payment'}
      </h1>
      <div className="grid gap-3">
        <PlanSummary view={view} />
        {view.takes_code && <PromotionCode redeemed={view.discount?.code ?? null} onRedeem={onRedeem} />}
      </div>
      {isRefused && <FormError>Your bank said no. Try again, or use another card.</FormError>}
      <CardFields
        client={view.payment_client}
        clientSecret={view.client_secret ?? ''}
        label={actionWords(view)}
        saves={view.next_action === 'setup'}
        onConfirmed={onConfirmed}
      />
    </div>
  );
}
