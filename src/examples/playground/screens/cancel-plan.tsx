'use client';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { ErrorMessage } from '../error-message.tsx';
import type { Go } from '../screen.ts';
import { cancelSubscription } from '../steps/cancel-subscription.ts';
import { useAction } from '../use-action.ts';

export function CancelPlan({ id, go }: { id: string; go: Go }) {
  const [when, setWhen] = useState('later');
  const { pending, error, run } = useAction();
  const cancel = async () => {
    await cancelSubscription(id, when === 'later');
    go({ at: 'plan' });
  };
  return (
    <div className="grid gap-4">
      <RadioGroup.Root aria-label="When it ends" value={when} onValueChange={setWhen} className="grid gap-2">
        <ChoiceCard value="later" title="At the end of the period" hint="You keep the plan until then." />
        <ChoiceCard value="now" title="Now" hint="It ends immediately." />
      </RadioGroup.Root>
      <ErrorMessage error={error} />
      <Button variant="danger" size="lg" pending={pending} onClick={() => void run(cancel)}>
        Cancel plan
      </Button>
      <Button variant="ghost" disabled={pending} onClick={() => go({ at: 'plan' })}>
        Keep it
      </Button>
    </div>
  );
}
