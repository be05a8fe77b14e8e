import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const sourceOf = (command: string) => command.match(/src\/\w+\/[\w-]+\.ts$/)?.[0];

test('every command that opens the database generates the client first, which a release without a start lacks', () => {
  const commands = Object.entries(scripts).filter(([, command]) => {
    const source = sourceOf(command);
    return source && readFileSync(path.join(root, source), 'utf8').includes('withServices(');
  });
  expect(commands.map(([name]) => name)).toEqual([
    'create-tenant',
    'audit:verify',
    'reset-totp',
    'rotate-signing-keys',
  ]);
  for (const [, command] of commands) expect(command).toContain('--import ./src/launcher/generate-client.mjs ');
});
