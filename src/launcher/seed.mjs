import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readJson, writeJson } from './json-file.mjs';
import { buildFolder } from './root.mjs';
import { runNode } from './run-command.mjs';

/**
 * Seeds a new sandbox, and again when its URL has changed, because the emulators have stored it.
 * @returns the part of the card that the seed wrote
 */
export async function seed({ step, options, settings, database: { serviceUrl, ownerUrl } }) {
  if (!options.seed || settings.production) return {};
  const card = path.join(options.data, 'seed.json');
  const stamp = path.join(options.data, 'seeded.json');
  const { PUBLIC_URL } = settings.service;
  const key = createHash('sha256')
    .update(`${PUBLIC_URL}\n${new URL(serviceUrl).pathname}`)
    .digest('hex');
  if (existsSync(card) && readJson(stamp).key === key) return readJson(card);
  rmSync(stamp, { force: true });
  const env = { ...settings.service, ...settings.seed, DATABASE_URL: serviceUrl, SEED_CARD: card };
  if (ownerUrl) env.MIGRATION_DATABASE_URL = ownerUrl;
  await step('seed a small clinic', () => runNode(path.join(buildFolder, 'seed.mjs'), [], env));
  writeJson(stamp, { key });
  return readJson(card);
}
