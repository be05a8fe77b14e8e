import { RichText } from './rich-text.tsx';

export function Paragraph({ children }: { children: string }) {
  return (
    <p className="leading-6">
      <RichText text={children} />
    </p>
  );
}

export function Points({ items }: { items: string[] }) {
  return (
    <ul className="grid list-disc gap-1.5 pl-5 leading-6 marker:text-muted">
      {items.map((item) => (
        <li key={item}>
          <RichText text={item} />
        </li>
      ))}
    </ul>
  );
}

type WordListProps = { words: { name: string; meaning: string; anchor?: string }[] };

/** Names and what they mean. */
export function WordList({ words }: WordListProps) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {words.map(({ name, meaning, anchor }) => (
        <div
          key={name}
          {...(anchor && { id: anchor })}
          className="scroll-mt-20 gap-x-4 py-2 target:bg-accent-soft sm:grid sm:grid-cols-[13rem_minmax(0,1fr)]"
        >
          <dt className="font-mono text-[13px] font-medium">{name}</dt>
          <dd className="text-muted">
            <RichText text={meaning} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
