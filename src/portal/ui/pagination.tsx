import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';

type LoadMoreProps = {
  count: number;
  /** One of them: `patient`. */
  noun: string;
  /** How many there are in all, where that was counted; `capped` where there are more. */
  total?: { count: number; capped: boolean } | undefined;
  hasMore: boolean;
  pending: boolean;
  onMore: () => void;
};

const inWords = (count: number) => count.toLocaleString('en-US');
const many = (count: number, noun: string) =>
  `${inWords(count)} ${count === 1 ? noun : noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

/** "1 patient", "First 20 of 132 patients", "First 20 of more than 10,000 patients". */
export function countWords({
  count,
  noun,
  total,
  hasMore,
}: Pick<LoadMoreProps, 'count' | 'noun' | 'total' | 'hasMore'>) {
  if (!hasMore) return many(count, noun);
  if (!total) return `First ${many(count, noun)}`;
  return `First ${inWords(count)} of ${total.capped ? 'more than ' : ''}${many(Math.max(total.count, count), noun)}`;
}

/** The foot of a growing list: how many are shown, and the next page by cursor. */
export function LoadMore({ hasMore, pending, onMore, ...counted }: LoadMoreProps) {
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5 text-[13px] text-muted">
      <span aria-live="polite">{countWords({ ...counted, hasMore })}</span>
      {hasMore && (
        <Button size="sm" pending={pending} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

type PagerProps = { label: string; onPrevious?: (() => void) | undefined; onNext?: (() => void) | undefined };

/** Steps backwards and forwards; an absent handler is an end. */
export function Pager({ label, onPrevious, onNext }: PagerProps) {
  return (
    <nav aria-label={label} className="flex items-center gap-1">
      <Button size="sm" aria-label="Previous" disabled={!onPrevious} onClick={onPrevious}>
        <ChevronLeft aria-hidden />
      </Button>
      <Button size="sm" aria-label="Next" disabled={!onNext} onClick={onNext}>
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}
