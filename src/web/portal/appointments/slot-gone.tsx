'use client';
import { useNow } from '../now.tsx';

type SlotGoneProps = {
  id: string;
  /** The chosen time that is no longer free; null while it is, or none is chosen. */
  fromDate: string | null;
};

/** Says that the chosen time can no longer be used. It is rendered before that, so that screen readers announce it. */
export function SlotGone({ id, fromDate }: SlotGoneProps) {
  const now = useNow();
  return (
    <p id={id} role="status" className="order-first basis-full! text-[13px] text-danger-ink empty:sr-only">
      {fromDate &&
        (Date.parse(fromDate) > now
          ? 'This time has just been taken. Choose another.'
          : 'This time has passed. Choose another.')}
    </p>
  );
}
