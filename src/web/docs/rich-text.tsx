import { Fragment } from 'react';

/** A sentence in which `backticks` mark code. */
export function RichText({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed sentence
      <code key={index} className="rounded-sm bg-neutral-soft px-1 font-mono text-[0.92em] wrap-anywhere text-ink">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed sentence
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
