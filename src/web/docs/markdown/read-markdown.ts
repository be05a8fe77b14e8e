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
  const usedAnchors = new Set<string>();
  const sections = tokens
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text: title, depth }) => {
      const name = slug(plain(title)) || 'section';
      let anchor = name;
      for (let n = 2; usedAnchors.has(anchor); n++) anchor = `${name}-${n}`;
      usedAnchors.add(anchor);
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

const PLACE = /\{\{(\w+)\}\}/g;

/**
 * Replaces the placeholders `{{name}}` with values.
 * @throws Error for a placeholder without a value
 */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(PLACE, (_place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`There is nothing to put at {{${name}}}`);
    return value;
  });
}

const BLOCK = /^---\n([\s\S]*?)\n---\n/;

/**
 * Parses the front matter (`name: value` lines between two `---`) and returns the remaining text; a first heading is
 * the title.
 */
export function frontMatter(text: string): { fields: Record<string, string>; body: string } {
  const [match, block = ''] = BLOCK.exec(text) ?? [''];
  const lines = block.split('\n').filter((line) => line.includes(':'));
  const fields = Object.fromEntries(
    lines.map((line) => {
      const index = line.indexOf(':');
      return [line.slice(0, index).trim(), line.slice(index + 1).trim()];
    }),
  );
  const [heading, title] = /^\s*# (.+)\n/.exec(text.slice(match.length)) ?? [''];
  const body = text.slice(match.length + heading.length).trim();
  return { fields: { ...(title && { title: title.replaceAll('`', '') }), ...fields }, body: `${body}\n` };
}

export type Part = Section & { text: string };

/** Splits Markdown into the text before the first heading and the text under each heading. */
export function readParts(markdown: string): { beginning: string; parts: Part[] } {
  const { tokens, sections } = readMarkdown(markdown);
  const texts = [''];
  for (const { type, raw } of tokens) {
    if (type === 'heading') texts.push('');
    else texts[texts.length - 1] += raw;
  }
  const [beginning = '', ...sectionTexts] = texts;
  return { beginning, parts: sections.map((section, index) => ({ ...section, text: sectionTexts[index] ?? '' })) };
}
