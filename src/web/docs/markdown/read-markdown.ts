import { lexer, type Token, type Tokens } from 'marked';

export type Section = { anchor: string; title: string; depth: number };
export type Markdown = { tokens: Token[]; sections: Section[] };

/** The anchor of a heading or a table row. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/** Removes Markdown formatting. */
const plain = (text: string): string => text.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** Parses Markdown (CommonMark with tables) into tokens and headings, each with a unique anchor. */
export function readMarkdown(text: string): Markdown {
  const tokens = lexer(text);
  const taken = new Set<string>();
  const sections = tokens
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text: title, depth }) => {
      const name = slug(plain(title)) || 'section';
      let anchor = name;
      for (let n = 2; taken.has(anchor); n++) anchor = `${name}-${n}`;
      taken.add(anchor);
      return { anchor, title: plain(title), depth };
    });
  return { tokens, sections };
}

/** The anchor of a table row that begins with code. */
export function anchorOfRow([first]: Tokens.TableCell[]): string | undefined {
  const only = first?.tokens.length === 1 ? first.tokens[0] : undefined;
  return only?.type === 'codespan' ? slug((only as Tokens.Codespan).text) || undefined : undefined;
}

/** The info string of a code fence: its language, and the file that it shows: `ts file=server/main.ts`. */
export function readFence({ lang = '' }: Tokens.Code): { language: string; file: string | null } {
  const [language = '', ...rest] = lang.split(/\s+/);
  const file = rest.find((word) => word.startsWith('file='));
  return { language, file: file ? file.slice('file='.length) : null };
}
