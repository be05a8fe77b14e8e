'use client';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import { piecesOf } from './found-words.ts';
import { foldOf } from './text-fold.ts';

type NoteTextProps = {
  text: string;
  /** Marks its words. */
  search?: string | undefined;
};

/** The text of a note as it was typed: the beginning of a long one, and the rest on demand. Print has all of it. */
export function NoteText({ text, search = '' }: NoteTextProps) {
  const fold = foldOf(text);
  const [beginning, rest] = [text.slice(0, fold ?? text.length), fold === null ? '' : text.slice(fold)];
  const [isOpen, setOpen] = useState(() => piecesOf(rest, search).some(({ isFound }) => isFound));
  return (
    <div className="grid justify-items-start gap-0.5">
      <p dir="auto" className="w-full whitespace-pre-wrap wrap-anywhere">
        <Marked text={beginning} search={search} />
        {rest && (
          <>
            {!isOpen && <span className="print:hidden">…</span>}
            <span className={cn(!isOpen && 'hidden print:inline')}>
              <Marked text={rest} search={search} />
            </span>
          </>
        )}
      </p>
      {rest && (
        <Button
          variant="link"
          size="sm"
          className="print:hidden"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Less' : 'More'}
        </Button>
      )}
    </div>
  );
}

function Marked({ text, search }: { text: string; search: string }) {
  let position = 0;
  return piecesOf(text, search).map((piece) => {
    const key = position;
    position += piece.text.length;
    return piece.isFound ? (
      <mark key={key} className="rounded-xs bg-warn-soft text-warn-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    );
  });
}
