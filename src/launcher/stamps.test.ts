import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildFolder, root } from './root.mjs';
import { digest, runOnce } from './stamps.mjs';

describe('work that is done once', () => {
  let folder: string;
  let name: string;
  let runs = 0;
  beforeEach(() => {
    mkdirSync(buildFolder, { recursive: true });
    folder = path.relative(root, mkdtempSync(path.join(buildFolder, 'stamps-')));
    name = path.basename(folder);
    runs = 0;
  });
  afterEach(() => {
    rmSync(path.join(root, folder), { recursive: true });
    rmSync(path.join(buildFolder, `${name}.stamp`), { force: true });
  });
  const write = (file: string, text: string) => writeFileSync(path.join(root, folder, file), text);
  const key = () => digest([folder], /\.test\.ts$|made$/);
  const work = () =>
    runOnce(name, { key: key(), output: `${folder}/made` }, async () => {
      runs += 1;
      write('made', '');
    });

  it('is skipped while its sources are unchanged', async () => {
    write('a.ts', '1');
    await work();
    await work();
    expect(runs).toBe(1);
  });

  it('is repeated for a changed or new source', async () => {
    write('a.ts', '1');
    await work();
    write('a.ts', '2');
    await work();
    write('b.ts', '');
    await work();
    expect(runs).toBe(3);
  });

  it('ignores excepted sources', async () => {
    await work();
    write('a.test.ts', '1');
    await work();
    expect(runs).toBe(1);
  });

  it('is repeated when its result is missing, or after an error', async () => {
    await work();
    rmSync(path.join(root, folder, 'made'));
    await work();
    expect(runs).toBe(2);
    write('a.ts', '');
    const failing = runOnce(name, { key: key(), output: `${folder}/made` }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await work();
    expect(runs).toBe(3);
  });
});
