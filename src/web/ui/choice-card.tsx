'use client';
import { RadioGroup } from 'radix-ui';
import type { ReactNode } from 'react';

type ChoiceCardProps = { value: string; title: ReactNode; hint?: ReactNode; aside?: ReactNode };

/** One option with a line of explanation; must be inside a Radix RadioGroup. */
export function ChoiceCard({ value, title, hint, aside }: ChoiceCardProps) {
  return (
    <RadioGroup.Item
      value={value}
      className="group flex items-start gap-3 rounded-lg border border-line px-3 py-2.5 text-left transition-colors hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft/50"
    >
      <span
        aria-hidden
        className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-field bg-surface group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent"
      >
        <span className="size-1.5 rounded-full bg-on-accent opacity-0 group-data-[state=checked]:opacity-100" />
      </span>
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-3">
        <span className="font-medium wrap-anywhere">{title}</span>
        {aside && <span className="tabular-nums">{aside}</span>}
        {hint && <span className="col-span-2 text-[13px] text-muted">{hint}</span>}
      </span>
    </RadioGroup.Item>
  );
}
