import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Tokens } from 'marked';
import { readFence } from '#web/docs/markdown/read-markdown.ts';
import { root } from '../../launcher/root.mjs';

/** Returns a file that a docs page contains in full. */
export function guideFile(slug: string, file: string): string {
  const text = readFileSync(path.join(root, 'src/docs/api/pages', `${slug}.md`), 'utf8');
  const block = lexer(text).find((token) => token.type === 'code' && readFence(token as Tokens.Code).file === file);
  if (!block) throw new Error(`${slug} has no ${file}`);
  return `${(block as Tokens.Code).text}\n`;
}
