import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSecrets } from './secrets.mjs';

describe('the secrets of a sandbox', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(path.join(tmpdir(), 'carelane-secrets-'));
  });
  afterEach(() => rmSync(data, { recursive: true }));

  it('are generated once and readable only by their owner', () => {
    const first = loadSecrets(data);
    expect(loadSecrets(data)).toEqual(first);
    expect(statSync(path.join(data, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(Buffer.from(first.encryptionKey, 'base64')).toHaveLength(32);
  });

  it('differ between two folders', () => {
    const other = loadSecrets(path.join(data, 'other'));
    const own = loadSecrets(data);
    expect(
      Object.keys(own).filter((name) => own[name as keyof typeof own] === other[name as keyof typeof own]),
    ).toEqual([]);
  });

  it('are not generated again for an existing database', () => {
    mkdirSync(path.join(data, 'postgres/data'), { recursive: true });
    expect(() => loadSecrets(data)).toThrow(/secrets\.json is missing.* or use another folder with --data\.$/);
  });
});
