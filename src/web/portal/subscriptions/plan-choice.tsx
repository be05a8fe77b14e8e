'use client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { type Ref, useLayoutEffect, useRef, useState } from 'react';
import type { PlanView } from '#contract/subscriptions.ts';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { useFieldWiring } from '#web/ui/field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { describePrice } from '../plans/plan-terms.ts';

type PlanChoiceProps = {
  value: string;
  onChange: (priceId: string) => void;
  ref: Ref<HTMLDivElement>;
  /** Filter of the plans that can be chosen; all when absent. */
  filter?: (plan: PlanView) => boolean;
};

/** Radio list of the plans on offer. */
export function PlanChoice({ value, onChange, ref, filter }: PlanChoiceProps) {
  const { id, ...wiring } = useFieldWiring();
  const container = useRef<HTMLDivElement>(null);
  const trpc = useTRPC();
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const isLoading = plans.isPending;
  const [hasFocused, setFocused] = useState(false);
  const focusFirst = () => {
    const first = container.current?.querySelector<HTMLElement>('[role=radio]');
    first?.focus();
    if (first) setFocused(true);
  };
  // A radio list without items cannot take focus: its container takes it, and moves it to the first item once loaded.
  useLayoutEffect(() => {
    if (!isLoading && document.activeElement === container.current) focusFirst();
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label is above.
    <div
      ref={container}
      id={id}
      role="group"
      aria-label="Plans"
      aria-busy={isLoading || undefined}
      {...(!hasFocused && { tabIndex: 0 })}
      onFocus={(event) => event.target === event.currentTarget && focusFirst()}
      className="rounded-lg"
    >
      <Plans plans={plans} value={value} onChange={onChange} wiring={wiring} ref={ref} {...(filter && { filter })} />
    </div>
  );
}

type PlansProps = PlanChoiceProps & {
  plans: UseQueryResult<{ items: PlanView[] }, unknown>;
  wiring: Omit<ReturnType<typeof useFieldWiring>, 'id'>;
};

function Plans({ plans, value, onChange, wiring, ref, filter = () => true }: PlansProps) {
  if (plans.error)
    return (
      <ErrorState error={plans.error} title="The plans could not be loaded" onRetry={() => void plans.refetch()} />
    );
  if (!plans.data) return <Skeleton className="h-28 rounded-lg" />;
  const offered = plans.data.items.filter((plan) => plan.active && plan.recurring && filter(plan));
  if (offered.length === 0)
    return <EmptyState title="No plans to choose from" description="Make a plan on the Plans page first." />;
  return (
    <RadioGroup.Root
      ref={ref}
      {...wiring}
      value={value}
      onValueChange={onChange}
      aria-label="Plan"
      className="grid max-h-76 gap-2 overflow-y-auto p-0.5"
    >
      {offered.map((plan) => (
        <ChoiceCard
          key={plan.id}
          value={plan.id}
          title={[plan.name, plan.nickname].filter(Boolean).join(' · ')}
          hint={
            plan.trial_period_in_days
              ? `${pluralize(plan.trial_period_in_days, 'day')} free, the first time`
              : plan.description
          }
          aside={describePrice(plan)}
        />
      ))}
    </RadioGroup.Root>
  );
}
