import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildFolder, root } from './root.mjs';
import { digest, once } from './stamps.mjs';

describe('work that is done once', () => {
  let folder: string;
  let name: string;
  let done = 0;
  beforeEach(() => {
    mkdirSync(buildFolder, { recursive: true });
    folder = path.relative(root, mkdtempSync(path.join(buildFolder, 'stamps-')));
    name = path.basename(folder);
    done = 0;
  });
  afterEach(() => {
    rmSync(path.join(root, folder), { recursive: true });
    rmSync(path.join(buildFolder, `${name}.stamp`), { force: true });
  });
  const put = (file: string, text: string) => writeFileSync(path.join(root, folder, file), text);
  const key = () => digest([folder], /\.test\.ts$|made$/);
  const work = () =>
    once(name, { key: key(), makes: `${folder}/made` }, async () => {
      done += 1;
      put('made', '');
    });

  it('is skipped while its sources are unchanged', async () => {
    put('a.ts', '1');
    await work();
    await work();
    expect(done).toBe(1);
  });

  it('is repeated for a changed or new source', async () => {
    put('a.ts', '1');
    await work();
    put('a.ts', '2');
    await work();
    put('b.ts', '');
    await work();
    expect(done).toBe(3);
  });

  it('ignores excepted sources', async () => {
    await work();
    put('a.test.ts', '1');
    await work();
    expect(done).toBe(1);
  });

  it('is repeated when its result is missing, or after an error', async () => {
    await work();
    rmSync(path.join(root, folder, 'made'));
    await work();
    expect(done).toBe(2);
    put('a.ts', '');
    const failing = once(name, { key: key(), makes: `${folder}/made` }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await work();
    expect(done).toBe(3);
  });
});
