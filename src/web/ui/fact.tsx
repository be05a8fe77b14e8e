import { Children, type ReactNode } from 'react';

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
