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

type WordTableProps = { label: string; head: [string, string]; rows: { name: string; words: string; id?: string }[] };

/** Names and what they mean. */
export function WordTable({ label, head, rows }: WordTableProps) {
  return (
    <table aria-label={label} className="w-full text-left">
      <thead>
        <tr className="text-xs text-muted">
          {head.map((title) => (
            <th key={title} scope="col" className="pb-1 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, words, id }) => (
          <tr
            key={name}
            {...(id && { id })}
            className="scroll-mt-20 border-t border-line align-baseline target:bg-accent-soft"
          >
            <th scope="row" className="py-1.5 pr-4 font-mono text-[13px] font-medium wrap-anywhere">
              {name}
            </th>
            <td className="py-1.5 text-muted">
              <RichText text={words} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
