import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

type StatProps = { label: string; value: ReactNode; loading?: boolean };

export function Stat({ label, value, loading }: StatProps) {
  return (
    <div className="rounded-xl border border-line bg-surface px-4 py-3 shadow-card max-md:px-3">
      <dt className="text-[13px] text-muted">{label}</dt>
      <dd className="mt-0.5 text-xl font-semibold tracking-tight whitespace-nowrap tabular-nums max-md:text-base">
        {loading ? <Skeleton className="my-1 h-5.5 w-12 max-md:h-4.5" /> : value}
      </dd>
    </div>
  );
}
