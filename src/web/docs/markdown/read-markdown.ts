import { lexer, type Token, type Tokens } from 'marked';

export type Section = { anchor: string; title: string; depth: number };
export type Markdown = { tokens: Token[]; sections: Section[] };

/** What a heading or the code of a row is called in an address. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/** Words without their marks. */
const plain = (text: string): string => text.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** A text in Markdown (CommonMark with tables), in parts, and its headings, each under a name of its own. */
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

/** A row that begins with a piece of code is linked to by it. */
export function anchorOfRow([first]: Tokens.TableCell[]): string | undefined {
  const only = first?.tokens.length === 1 ? first.tokens[0] : undefined;
  return only?.type === 'codespan' ? slug((only as Tokens.Codespan).text) || undefined : undefined;
}

/** Of the code of a text: its language, and the file that it makes up, `ts file=server/main.ts`. */
export function readFence({ lang = '' }: Tokens.Code): { language: string; file: string | null } {
  const [language = '', ...rest] = lang.split(/\s+/);
  const file = rest.find((word) => word.startsWith('file='));
  return { language, file: file ? file.slice('file='.length) : null };
}
