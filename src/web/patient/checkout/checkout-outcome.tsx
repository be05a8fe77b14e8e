'use client';
import { CircleCheck, CircleX, Hourglass } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { formatInstant } from '../../ui/format-time.ts';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { type Outcome, outcomeOf, PAUSED, priceWords } from './checkout-words.ts';

const ICONS = { done: CircleCheck, working: Hourglass, ended: CircleX };
const TONES: Record<Outcome, string> = {
  done: 'bg-good-soft text-good-ink',
  working: 'bg-info-soft text-info-ink',
  ended: 'bg-neutral-soft text-neutral-ink',
};

function wordsOf(view: CheckoutView, zone: string): Record<Outcome, [title: string, text: string]> {
  const plan = view.name ?? 'your subscription';
  const price = priceWords(view);
  const trial = view.status === 'trialing' && view.trial_end;
  const isPaused = view.status === 'paused';
  return {
    done: [
      trial || isPaused ? 'Your card is saved' : 'You are all set',
      isPaused
        ? PAUSED
        : trial
          ? `${plan} is free until ${formatInstant(trial, 'date', zone)}${price ? `, then ${price}` : ''}.`
          : `${plan} is active. You can close this page.`,
    ],
    working: ['Almost there', `Your payment is on its way. ${view.clinic} sees it as soon as it has arrived.`],
    ended: [
      'This subscription has ended',
      `Nothing more is charged. Ask ${view.clinic} if you would like to start again.`,
    ],
  };
}

/** The outcome. The heading takes the focus, so that a screen reader announces it. */
export function CheckoutOutcome({ view }: { view: CheckoutView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const zone = useReaderZone();
  useEffect(() => heading.current?.focus(), []);
  const outcome = outcomeOf(view);
  const [title, text] = wordsOf(view, zone)[outcome];
  const Icon = ICONS[outcome];
  return (
    <div className="flex flex-col items-center py-10 text-center">
      <span className={`mb-4 grid size-14 place-items-center rounded-full ${TONES[outcome]}`}>
        <Icon aria-hidden className="size-7" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
        {title}
      </h1>
      <p className="mt-2 max-w-sm text-balance text-muted">{text}</p>
    </div>
  );
}
