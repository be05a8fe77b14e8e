'use client';
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

type Tab = { value: string; label: ReactNode; count?: number; content: ReactNode };
type TabsProps = { label: string; tabs: Tab[]; value?: string; onValueChange?: (value: string) => void };

export function Tabs({ label, tabs, value, onValueChange }: TabsProps) {
  return (
    <Radix.Root
      defaultValue={tabs[0]?.value ?? ''}
      {...(value !== undefined && { value })}
      {...(onValueChange && { onValueChange })}
    >
      <Radix.List aria-label={label} className="mb-4 flex gap-5 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent py-2 font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="rounded-full bg-neutral-soft px-1.5 text-xs text-neutral-ink tabular-nums">
                {tab.count}
              </span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="rounded-md">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
