import { Children, type ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

/** A term with its value, or a dash: several parts that are all empty count as empty. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  const isKnown = Children.toArray(children).some((part) => part !== '');
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="wrap-anywhere">{isKnown ? children : <span className="text-muted">–</span>}</dd>
    </div>
  );
}

type StatProps = {
  label: string;
  value: ReactNode;
  /** A line below the value, shortened to the width. */
  detail?: ReactNode;
  loading?: boolean;
};

/** A key figure with its label. */
export function Stat({ label, value, detail, loading }: StatProps) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3 shadow-card max-md:px-3">
      <dt className="text-[13px] text-muted">{label}</dt>
      <dd className="mt-0.5 text-xl font-semibold tracking-tight whitespace-nowrap tabular-nums max-md:text-base">
        {loading ? <Skeleton className="my-1 h-5.5 w-12 max-md:h-4.5" /> : value}
      </dd>
      {detail && (
        <dd className="truncate text-[13px]">
          {loading ? <Skeleton className="my-1.5 h-3.5 w-28 max-w-full" /> : detail}
        </dd>
      )}
    </div>
  );
}
