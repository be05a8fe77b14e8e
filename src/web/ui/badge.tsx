import { cva, type VariantProps } from 'class-variance-authority';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';

const badgeStyle = cva('inline-flex items-center gap-1.5 px-2 text-xs font-medium', {
  variants: {
    /** Allows text of any length, on several lines. */
    wraps: {
      false: 'h-5 shrink-0 rounded-full whitespace-nowrap',
      true: 'min-h-5 max-w-full rounded-lg py-0.5 wrap-anywhere',
    },
    tone: {
      neutral: 'bg-neutral-soft text-neutral-ink',
      accent: 'bg-accent-soft text-accent-ink',
      good: 'bg-good-soft text-good-ink',
      info: 'bg-info-soft text-info-ink',
      warn: 'bg-warn-soft text-warn-ink',
      danger: 'bg-danger-soft text-danger-ink',
    },
  },
  defaultVariants: { tone: 'neutral', wraps: false },
});

export type Tone = NonNullable<VariantProps<typeof badgeStyle>['tone']>;

type BadgeProps = { tone?: Tone; dot?: boolean; wraps?: boolean; className?: string; children: ReactNode };

export function Badge({ tone, dot = false, wraps, className, children }: BadgeProps) {
  return (
    <span data-badge className={cn(badgeStyle({ tone, wraps }), className)}>
      {dot && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  );
}
