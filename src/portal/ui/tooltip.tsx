'use client';
import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** A short extra hint for pointer and keyboard. Never the only place where something is said. */
export function Tooltip({ content, children }: { content: ReactNode; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            className="z-60 max-w-64 animate-fade rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-pop"
          >
            {content}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
