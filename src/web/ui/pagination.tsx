import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';
import { type Counted, countLabel, pluralize } from './count-label.ts';

type LoadMoreProps = Counted & {
  pending: boolean;
  onMore: () => void;
  /** The number of loaded items, where rows hold several of them. */
  folded?: number | undefined;
};

/** The footer of a cursor-paginated list: the count and the button for the next page. */
export function LoadMore({ hasMore, pending, onMore, folded, count, ...countProps }: LoadMoreProps) {
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5 text-[13px] text-muted">
      <span aria-live="polite">
        {countLabel({ ...countProps, count: folded ?? count, hasMore })}
        {folded !== undefined && ` in ${pluralize(count, 'row')}`}
      </span>
      {hasMore && (
        <Button size="sm" pending={pending} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

type PagerProps = { label: string; onPrevious?: (() => void) | undefined; onNext?: (() => void) | undefined };

/** Previous and next buttons; a missing handler disables its button. */
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
