import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../launcher/root.mjs';

const git = (...args: string[]): Buffer | null => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, maxBuffer: 2 ** 30 });
  return status === 0 && stdout.length > 0 ? stdout : null;
};

/**
 * Finds the commit before the newest one that changed the given paths.
 * @param paths the database's by default
 * @returns null without history, and outside `npm run prove`
 */
export function previousCommit(paths = ['prisma/migrations', 'prisma/sql']): string | null {
  if (process.env.PROVE !== '1') return null;
  const merges = ['--first-parent', '--diff-merges=first-parent'];
  const newest = git('log', '-1', ...merges, '--format=%H', '--', ...paths);
  return newest && (git('rev-parse', '--verify', '--quiet', `${newest.toString().trim()}^`)?.toString().trim() ?? null);
}

/** Checks out a commit with its own Prisma client and the current packages; it is removed when the test finishes. */
export function checkOutPrevious(commit = previousCommit()!): string {
  const dir = mkdtempSync(path.join(root, 'node_modules/.cache-commit-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  spawnSync('tar', ['-x', '-C', dir], { input: git('archive', commit)! });
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
  const generate = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], { cwd: dir });
  if (generate.status !== 0) throw new Error(`${generate.stderr}`);
  return dir;
}
