import { RadioGroup } from 'radix-ui';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { ChoiceCard } from '../../ui/choice-card.tsx';
import { priceOf } from './manage-messages.ts';

type PlanOptionsProps = {
  plans: ManagedSubscriptionView['plans'];
  chosen: string;
  onChoose: (priceId: string) => void;
  labelledBy: string;
};

/** The available plans with their prices. */
export const PlanOptions = ({ plans, chosen, onChoose, labelledBy }: PlanOptionsProps) => (
  <RadioGroup.Root aria-labelledby={labelledBy} value={chosen} onValueChange={onChoose} className="grid gap-2">
    {plans.map((plan) => (
      <ChoiceCard
        key={plan.price_id}
        value={plan.price_id}
        title={plan.name}
        hint={plan.description}
        aside={priceOf(plan)}
      />
    ))}
  </RadioGroup.Root>
);
