import { ERRORS } from '#contract/errors.ts';
import type { DocPage } from '../documentation.ts';
import { type Part, readParts } from '../markdown/read-markdown.ts';
import type { Field } from '../reference/read-reference.ts';

/** An entry of the search index. `words` are searched, but not shown. */
export type SearchEntry = {
  group: 'Pages' | 'Calls' | 'Objects' | 'Sections' | 'Errors';
  label: string;
  hint: string;
  href: string;
  words: string;
};

const namesOf = (fields: Field[]): string[] => fields.flatMap(({ name, fields: inner }) => [name, ...namesOf(inner)]);

/** Creates the search index of all pages. */
export function searchEntries(pages: DocPage[]): SearchEntry[] {
  const errorsAt = '/docs/conventions';
  return [
    ...pages.flatMap((page) => [
      ...(page.kind === 'text' ? textEntries(page) : [pageEntry(page), ...resourceEntries(page)]),
    ]),
    ...Object.entries(ERRORS).map(([name, { status, title }]) => ({
      group: 'Errors' as const,
      label: name,
      hint: `${status}`,
      href: `${errorsAt}#${name}`,
      words: title,
    })),
  ];
}

/** The last part of the path is searched too. */
const pageEntry = ({ title, heading, path, description }: DocPage, text = ''): SearchEntry => ({
  group: 'Pages',
  label: title,
  hint: heading,
  href: path,
  words: wordsOf(`${description} ${path.split('/').at(-1)} ${text}`),
});

/** One entry for each section of a text page, with its words and code. */
function textEntries(page: Extract<DocPage, { kind: 'text' }>): SearchEntry[] {
  const { beginning, parts } = readParts(page.markdown);
  const sectionEntry = ({ anchor, title, text }: Part): SearchEntry => ({
    group: 'Sections',
    label: title,
    hint: page.title,
    href: `${page.path}#${anchor}`,
    words: wordsOf(text),
  });
  return [pageEntry(page, beginning), ...parts.map(sectionEntry)];
}

const WORD = /[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/gu;

/** Each word once; a hyphenated one also without its hyphen. */
function wordsOf(text: string): string {
  const words = text.toLowerCase().match(WORD) ?? [];
  return [...new Set(words.flatMap((word) => (word.includes('-') ? [word, word.replaceAll('-', '')] : [word])))].join(
    ' ',
  );
}

function resourceEntries(page: Extract<DocPage, { kind: 'resource' }>): SearchEntry[] {
  const { operations, models } = page.group;
  return [
    ...operations.map(({ anchor, summary, method, path, aliases, inputs }): SearchEntry => {
      const fields = inputs.flatMap((input) => namesOf(input.fields));
      const words = [...aliases, ...new Set(fields)].join(' ');
      return { group: 'Calls', label: summary, hint: `${method} ${path}`, href: `${page.path}#${anchor}`, words };
    }),
    ...models.map(
      ({ anchor, name, fields }): SearchEntry => ({
        group: 'Objects',
        label: name,
        hint: page.title,
        href: `${page.path}#${anchor}`,
        words: [...new Set(namesOf(fields))].join(' '),
      }),
    ),
  ];
}
