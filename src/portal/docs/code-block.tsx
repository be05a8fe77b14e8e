import type { ReactNode } from 'react';
import { CopyButton } from '#portal/ui/copy-button.tsx';

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
};

/** A text to read and copy; long ones scroll in place. */
export function CodeBlock({ title, of, code, copied = code }: CodeBlockProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line bg-surface py-1 pr-1 pl-3">
        <span className="text-xs font-medium text-muted">{title}</span>
        <CopyButton value={copied} variant="ghost" size="sm" aria-label={`Copy ${title.toLowerCase()}: ${of}`} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <pre
        role="group"
        aria-label={`${title}: ${of}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 font-mono text-xs/5 focus-visible:-outline-offset-2 [&_span]:text-accent-ink"
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
