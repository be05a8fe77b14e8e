import { Children, type ReactNode } from 'react';

/** One line of what is known, with a dash where nothing is: several parts that are all left out are nothing too. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  const isKnown = Children.toArray(children).some((part) => part !== '');
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="wrap-anywhere">{isKnown ? children : <span className="text-muted">–</span>}</dd>
    </div>
  );
}
