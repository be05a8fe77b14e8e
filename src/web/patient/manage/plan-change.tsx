'use client';
import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import type { ManagedPreviewView, ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { faultSentence } from '../../ui/api-faults.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { whenIdle } from '../../ui/when-idle.ts';
import { changeWords } from './manage-words.ts';
import type { Steps } from './steps.ts';

const loadOptions = () => import('./plan-options.tsx').then((module) => module.PlanOptions);
const PlanOptions = dynamic(loadOptions, { ssr: false });

/** Lists other plans, previews the price of a change, and changes the plan. */
export function PlanChange({ view, steps }: { view: ManagedSubscriptionView; steps: Steps }) {
  const zone = useReaderZone();
  useEffect(() => whenIdle(loadOptions), []);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  const [preview, setPreview] = useState<ManagedPreviewView | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const choose = async (price_id: string) => {
    setChosen(price_id);
    setPreview(null);
    setError(null);
    await steps.ask<ManagedPreviewView>('manage.preview', { price_id }).then(setPreview, setError);
  };
  const close = () => {
    setOpen(false);
    setChosen('');
    setPreview(null);
    setError(null);
  };
  const change = async () => {
    if (!preview || pending) return;
    setPending(true);
    const { price_id, previewed_at } = preview;
    const name = view.plans.find((plan) => plan.price_id === price_id)?.name ?? 'another plan';
    await steps.act('manage.change', { price_id, previewed_at }, `Your plan is ${name} now.`).then(close, setError);
    setPending(false);
  };
  // Ignores a late response for a previously chosen plan.
  const shown = preview?.price_id === chosen ? preview : null;
  return (
    <Card>
      <CardBody className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h2 id="other-plans" className="font-semibold">
            Other plans
          </h2>
          {open ? (
            // The second click of a double click on "Change plan" lands here, and must not close the options.
            <Button onClick={({ detail }) => detail < 2 && close()}>Keep this plan</Button>
          ) : (
            <Button onClick={() => setOpen(true)}>Change plan</Button>
          )}
        </div>
        {open && (
          <>
            <PlanOptions
              plans={view.plans}
              chosen={chosen}
              onChoose={(price_id) => void choose(price_id)}
              labelledBy="other-plans"
            />
            {chosen && !shown && error === null && (
              <div role="status">
                <span className="sr-only">Looking at what the change costs</span>
                <Skeleton className="h-10" />
              </div>
            )}
            {shown && (
              <div className="grid gap-3">
                <p role="status">{changeWords(shown, zone)}</p>
                <Button variant="primary" size="lg" pending={pending} onClick={() => void change()}>
                  Change to this plan
                </Button>
              </div>
            )}
          </>
        )}
        {error !== null && <FormError>{faultSentence(error)}</FormError>}
      </CardBody>
    </Card>
  );
}
