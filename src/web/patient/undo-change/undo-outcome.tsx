'use client';
import { CircleCheck, Link2Off, Lock } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { outcomeWords } from './undo-words.ts';

/** The state of the change. The heading takes the focus, so that a screen reader announces it. */
export function UndoOutcome({ change }: { change: AddressChangeView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { title, text, next } = outcomeWords(change);
  const Icon = change.state === 'over' ? Link2Off : change.restored ? CircleCheck : Lock;
  const tone = change.restored ? 'bg-good-soft text-good-ink' : 'bg-neutral-soft text-neutral-ink';
  return (
    <div className="flex flex-col items-center py-10 text-center">
      <span className={`mb-4 grid size-14 place-items-center rounded-full ${tone}`}>
        <Icon aria-hidden className="size-7" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight text-balance outline-none">
        {title}
      </h1>
      <p className="mt-2 max-w-sm text-balance text-muted">{text}</p>
      <p className="mt-3 max-w-sm text-balance font-medium">{next}</p>
    </div>
  );
}
