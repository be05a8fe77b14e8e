'use client';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { cn } from '#web/ui/cn.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { TOO_LONG } from './clean-text.ts';
import type { NoteDraft } from './use-note-draft.ts';

/** Says whether the text of the form is stored as a draft. */
export function DraftStatus({ draft, isUnchanged }: { draft: NoteDraft; isUnchanged: boolean }) {
  return (
    <p aria-live="polite" className={cn('text-[13px]', draft.state === 'failed' ? 'text-warn-ink' : 'text-muted')}>
      {draft.state === 'none' && draft.since ? (
        <>
          Draft from <DateTime value={draft.since} />
        </>
      ) : (
        labelOf(draft, isUnchanged)
      )}
    </p>
  );
}

const UNSAVED: Record<string, string> = {
  unreachable: 'Not saved: no connection.',
  [TOO_LONG]: 'The draft is not saved: it is too long.',
};

function labelOf({ state, error }: NoteDraft, isUnchanged: boolean): string {
  switch (state) {
    case 'saving':
      return 'Saving the draft…';
    case 'stored':
      return isUnchanged ? '' : 'Draft saved';
    case 'failed':
      return `${UNSAVED[readApiErrors(error)[0].code] ?? 'The draft is not saved.'} Your text stays in this window.`;
    default:
      return '';
  }
}
