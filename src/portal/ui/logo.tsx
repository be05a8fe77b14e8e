/** Two lanes that bend together into a C. */
export function LogoMark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" strokeWidth="2.75" strokeLinecap="round" className="stroke-on-accent">
        <path d="M24 8h-7a8 8 0 0 0 0 16h7" />
        <path d="M24 14h-6.5a2 2 0 0 0 0 4H24" opacity=".72" />
      </g>
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight">
      <LogoMark />
      Carelane
    </span>
  );
}
