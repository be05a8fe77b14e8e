import { readMarkdown, type Section } from './read-markdown.ts';

export type Part = Section & { text: string };

/** Splits Markdown into the text before the first heading and the text under each heading. */
export function readParts(markdown: string): { beginning: string; parts: Part[] } {
  const { tokens, sections } = readMarkdown(markdown);
  const texts = [''];
  for (const { type, raw } of tokens) {
    if (type === 'heading') texts.push('');
    else texts[texts.length - 1] += raw;
  }
  const [beginning = '', ...under] = texts;
  return { beginning, parts: sections.map((section, at) => ({ ...section, text: under[at] ?? '' })) };
}
