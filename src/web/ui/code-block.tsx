import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/copy-button.tsx';

/** A line of indented JSON: what comes before its key, the key, the rest. */
const KEYED = /^(\s*)("[^"]+")(:.*)$/;

function Line({ text }: { text: string }): ReactNode {
  const [, indent, key, rest] = KEYED.exec(text) ?? [];
  if (!key) return `${text}\n`;
  return (
    <>
      {indent}
      <span>{key}</span>
      {`${rest}\n`}
    </>
  );
}

type CodeBlockProps = {
  /** Short, and unique on the page together with `of`. */
  title: string;
  /** What it is an example of, for screen readers. */
  of: string;
  code: string;
  /** What is copied, where that is not what is read. */
  copied?: string;
  /** Shown as high as it is; others scroll in place. */
  whole?: boolean;
  /** A drawing of characters: its lines are kept, and it scrolls sideways where it is too wide. */
  drawn?: boolean;
  /** Stands at the head instead of the title. */
  head?: ReactNode;
};

/** A text to read and copy. Its lines are broken where they are too long, so that none is cut off. */
export function CodeBlock({ title, of, code, copied = code, whole = false, drawn = false, head }: CodeBlockProps) {
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line bg-surface py-1 pr-1 pl-3">
        {head ?? <span className="min-w-0 text-xs font-medium wrap-anywhere text-muted">{title}</span>}
        <CopyButton value={copied} variant="ghost" size="sm" aria-label={`Copy ${title.toLowerCase()}: ${of}`} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <pre
        role="group"
        aria-label={`${title}: ${of}`}
        // What scrolls must be reachable by keyboard.
        tabIndex={whole && !drawn ? undefined : 0}
        data-drawn={drawn || undefined}
        className={`p-3 font-mono text-xs/5 focus-visible:-outline-offset-2 [&_span]:text-accent-ink ${drawn ? 'overflow-x-auto whitespace-pre' : 'wrap-anywhere whitespace-pre-wrap'} ${whole ? '' : 'max-h-96 overflow-auto'}`}
      >
        <code>
          {code.split('\n').map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one fixed text
            <Line key={index} text={line} />
          ))}
        </code>
      </pre>
    </div>
  );
}
