'use client';
import { useClinicLook } from './clinic-look.tsx';
import { cn } from './cn.ts';

/** The product's mark; on a clinic's own pages, the clinic's logo, of the same height and at most six times as wide. */
export function LogoMark({ className = 'size-6' }: { className?: string }) {
  const logo = useClinicLook()?.logo;
  if (logo)
    return (
      // The name is shown next to it. The background is light: a dark logo would be invisible on a dark page.
      <span className={cn('inline-flex w-auto!', className)}>
        {/* biome-ignore lint/performance/noImgElement: the file is small already, and next/image would cache a copy */}
        <img
          src={logo.path}
          alt=""
          width={logo.width}
          height={logo.height}
          className="h-full w-auto max-w-42 object-contain object-left dark:rounded-sm dark:bg-white dark:p-0.5"
        />
      </span>
    );
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
  const look = useClinicLook();
  return (
    <span className="inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight">
      <LogoMark className="size-6 shrink-0" />
      <span className="wrap-anywhere">{look?.name ?? 'Carelane'}</span>
    </span>
  );
}
