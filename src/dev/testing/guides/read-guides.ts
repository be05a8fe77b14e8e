import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../launcher/root.mjs';

const FOLDER = path.join(root, 'src/docs/api/guides');
const PAGES = path.join(root, 'src/docs/api/pages');

/** A code block of a guide; `file` if it is part of the app that the guides build together. */
export type Fence = { language: string; file: string | null; code: string };
export type Guide = {
  slug: string;
  /** `title`, `description` and `order` from the front matter. */
  front: Record<string, string>;
  text: string;
  fences: Fence[];
};

/** Reads the guides in list order, with placeholders for the reader's own values such as `{{base_url}}`. */
export function readGuides(): Guide[] {
  const guides = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readGuide(name.replace(/\.md$/, ''), readFileSync(path.join(FOLDER, name), 'utf8')));
  return guides.sort((a, b) => Number(a.front.order) - Number(b.front.order));
}

/** Reads the reference's own pages, except plans-and-time, whose files are run one by one. */
export function readPages(): Guide[] {
  return ['start', 'conventions', 'patients-app'].map((slug) =>
    readGuide(slug, readFileSync(path.join(PAGES, `${slug}.md`), 'utf8')),
  );
}

function readGuide(slug: string, source: string): Guide {
  const [head = '', block = ''] = /^---\n([\s\S]*?)\n---\n/.exec(source) ?? [];
  const front = Object.fromEntries([...block.matchAll(/^(\w+): (.+)$/gm)].map(([, name, value]) => [name!, value!]));
  const text = source.slice(head.length);
  const fences = [...text.matchAll(/^```(\w*)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file = null, code = '']) => ({ language, file, code }),
  );
  return { slug, front, text, fences };
}

/** All placeholders. */
export const PLACEHOLDERS = [
  ...['base_url', 'token_url', 'origin', 'client_id', 'client_secret', 'inbox_url', 'price_id', 'trial_price_id'],
  ...['configuration', 'configuration_by_password', 'appointment_type_id', 'packages_origin'],
] as const;
export type Values = Record<(typeof PLACEHOLDERS)[number], string>;

export const placeholdersIn = (text: string): string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);

export function fillIn(code: string, values: Values): string {
  return code.replaceAll(/\{\{(\w+)\}\}/g, (place, name) => values[name as keyof Values] ?? place);
}
