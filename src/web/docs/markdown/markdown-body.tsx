import type { Token, Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { Link } from '#web/ui/link.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { AnchoredHeading } from '../anchored-heading.tsx';
import { anchorOfRow, type Markdown, readFence } from './read-markdown.ts';

const LANGUAGE_NAMES: Record<string, string> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  mjs: 'JavaScript',
  sh: 'Shell',
  bash: 'Shell',
  json: 'JSON',
  html: 'HTML',
  diagram: 'Diagram',
  http: 'HTTP',
  python: 'Python',
  py: 'Python',
};
const codeStyle = 'rounded-sm bg-neutral-soft px-1 font-mono text-[0.92em] wrap-anywhere text-ink';
export const linkStyle = 'rounded-sm text-accent-ink underline underline-offset-3';

/** Renders Markdown. HTML in it is shown as text, never executed. */
export function MarkdownBody({ markdown: { tokens, sections } }: { markdown: Markdown }) {
  let heading = -1;
  let code = 0;
  let currentTitle = 'the beginning';
  const rows = new Set(sections.map(({ anchor }) => anchor));
  const blocks = (children: Token[]): ReactNode => fragmentOf(children.map(block));
  function block(token: Token): ReactNode {
    switch (token.type) {
      case 'heading': {
        heading += 1;
        const { anchor, title, depth } = sections[heading]!;
        currentTitle = title;
        return (
          <div id={anchor} className="mt-5 scroll-mt-20 first:mt-0">
            <AnchoredHeading level={depth <= 2 ? 2 : 3} anchor={anchor} title={title} />
          </div>
        );
      }
      case 'paragraph':
        return <p className="max-w-prose leading-6">{inline((token as Tokens.Paragraph).tokens)}</p>;
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        const List = ordered ? 'ol' : 'ul';
        return (
          <List
            className={`grid max-w-prose gap-1.5 pl-5 leading-6 marker:text-muted ${ordered ? 'list-decimal' : 'list-disc'}`}
          >
            {items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
              <li key={index} className="*:mt-1.5 first:*:mt-0">
                {blocks(item.tokens)}
              </li>
            ))}
          </List>
        );
      }
      case 'code': {
        const fence = token as Tokens.Code;
        const { language, file } = readFence(fence);
        code += 1;
        return (
          <CodeBlock
            isFullHeight
            isDiagram={language === 'diagram'}
            title={file ?? LANGUAGE_NAMES[language] ?? 'Text'}
            of={`${currentTitle}, ${code}`}
            code={fence.text}
          />
        );
      }
      case 'table':
        return <Table table={token as Tokens.Table} of={currentTitle} usedAnchors={rows} />;
      case 'blockquote':
        return (
          <blockquote className="grid gap-2 border-l-3 border-accent pl-4">
            {blocks((token as Tokens.Blockquote).tokens)}
          </blockquote>
        );
      case 'hr':
        return <hr className="border-line" />;
      case 'text':
        return inline((token as Tokens.Text).tokens ?? [token]);
      case 'space':
      case 'checkbox':
      case 'def':
        return null;
      default:
        return <p>{token.raw}</p>;
    }
  }
  return <div className="grid max-w-4xl gap-3.5">{blocks(tokens)}</div>;
}

/** A row is shown as a row if it fits, otherwise its cells are stacked. */
function Table({
  table: { header, rows },
  of,
  usedAnchors,
}: {
  table: Tokens.Table;
  of: string;
  usedAnchors: Set<string>;
}) {
  const anchors = rows.map((row) => {
    const anchor = anchorOfRow(row);
    if (!anchor || usedAnchors.has(anchor)) return undefined;
    usedAnchors.add(anchor);
    return anchor;
  });
  return (
    <table aria-label={of} className="w-full table-auto text-left">
      {header.every(({ text }) => text) && (
        <thead className="border-b border-line text-[13px] text-muted max-sm:sr-only">
          <tr>
            {header.map((cell) => (
              <th key={cell.text} scope="col" className="py-1.5 pr-4 font-medium">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, rowIndex) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one fixed table
            key={rowIndex}
            {...(anchors[rowIndex] && { id: anchors[rowIndex] })}
            className="scroll-mt-20 border-b border-line align-baseline target:bg-accent-soft max-sm:block max-sm:py-2"
          >
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells of one fixed row
              <td key={index} className="py-2 pr-4 wrap-anywhere max-sm:block max-sm:py-0.5 sm:min-w-24">
                {inline(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Static parts, which need no keys. */
const fragmentOf = (parts: ReactNode[]): ReactNode => createElement(Fragment, null, ...parts);

const inline = (tokens: Token[]): ReactNode => fragmentOf(tokens.map(phrase));

function phrase(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inline((token as Tokens.Strong).tokens)}</strong>;
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case 'codespan':
      return <code className={codeStyle}>{(token as Tokens.Codespan).text}</code>;
    case 'link':
      return <Reference link={token as Tokens.Link} />;
    case 'br':
      return <br />;
    case 'text':
    case 'escape': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens) : text;
    }
    default:
      return token.raw;
  }
}

/** Renders a link to the docs, to this service or to the web; other URLs are shown as text. */
function Reference({ link: { href, tokens } }: { link: Tokens.Link }) {
  const content = inline(tokens);
  if (href.startsWith('/docs') && !href.endsWith('.md'))
    return (
      <Link href={href} className={linkStyle}>
        {content}
      </Link>
    );
  if (/^(\/(?!\/)|#|https?:\/\/|mailto:)/.test(href))
    return (
      <a href={href} className={linkStyle}>
        {content}
      </a>
    );
  return content;
}
