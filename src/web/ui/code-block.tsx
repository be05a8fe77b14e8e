import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/copy-button.tsx';

/** A line of indented JSON: indentation, key, rest. */
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
  /** What the code is an example of, for screen readers. */
  of: string;
  code: string;
  /** The text to copy when it differs from the displayed text. */
  copied?: string;
  /** Shown in full height; other blocks scroll. */
  isFullHeight?: boolean;
  /** A text drawing: lines do not wrap, and a wide one scrolls sideways. */
  isDiagram?: boolean;
  /** Replaces the title in the header. */
  head?: ReactNode;
};

/** A code sample with a copy button. Long lines wrap, so that nothing is cut off. */
export function CodeBlock({
  title,
  of,
  code,
  copied = code,
  isFullHeight = false,
  isDiagram = false,
  head,
}: CodeBlockProps) {
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
        // A scrollable region must be reachable by keyboard.
        tabIndex={isFullHeight && !isDiagram ? undefined : 0}
        data-drawn={isDiagram || undefined}
        className={`p-3 font-mono text-xs/5 focus-visible:-outline-offset-2 [&_span]:text-accent-ink ${isDiagram ? 'overflow-x-auto whitespace-pre' : 'wrap-anywhere whitespace-pre-wrap'} ${isFullHeight ? '' : 'max-h-96 overflow-auto'}`}
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
