'use client';
import { CreditCard } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { priceOf } from '../plan-labels.ts';
import type { Go } from '../screen.ts';
import type { Plan } from '../steps/api-types.ts';
import { subscribe } from '../steps/subscribe.ts';
import { useAction } from '../use-action.ts';

type ChoosePlanProps = { plans: Plan[]; patientId: string; go: Go };

export function ChoosePlan({ plans, patientId, go }: ChoosePlanProps) {
  const [priceId, setPriceId] = useState('');
  const { pending, error, run } = useAction();
  const start = async () => {
    const { id } = await subscribe(patientId, priceId);
    go({ at: 'pay', id });
  };
  if (plans.length === 0)
    return <EmptyState icon={CreditCard} title="No plans yet" description="The clinic makes them at Stripe." />;
  return (
    <div className="grid gap-4">
      <RadioGroup.Root aria-label="Plans" value={priceId} onValueChange={setPriceId} className="grid gap-2">
        {plans.map((plan) => (
          <ChoiceCard
            key={plan.id}
            value={plan.id}
            title={plan.name}
            hint={
              <>
                {plan.description}
                <span className="mt-1 block font-medium text-ink">
                  {priceOf(plan)}
                  {plan.trial_period_in_days && `, the first ${plan.trial_period_in_days} days free`}
                </span>
              </>
            }
          />
        ))}
      </RadioGroup.Root>
      <ErrorMessage error={error} />
      <Button variant="primary" size="lg" disabled={!priceId} pending={pending} onClick={() => void run(start)}>
        Continue to payment
      </Button>
    </div>
  );
}
