import { cn } from './cn.ts';

/** Two lanes that bend together into a C. */
export function LogoMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={cn('size-6', className)}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" strokeWidth="3" strokeLinecap="round" className="stroke-on-accent">
        <path d="M24 9.5h-7a6.5 6.5 0 0 0 0 13h7" />
        <path d="M24 16h-6.5" opacity=".7" />
      </g>
    </svg>
  );
}

export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight', className)}>
      <LogoMark />
      Carelane
    </span>
  );
}
