import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readJson, writeJson } from './json-file.mjs';
import { UserError } from './user-error.mjs';

const hex = (bytes) => randomBytes(bytes).toString('hex');

const generators = {
  ownerPassword: () => hex(16),
  servicePassword: () => hex(16),
  encryptionKey: () => randomBytes(32).toString('base64'),
  sessionSecret: () => hex(32),
  stripeSecretKey: () => `sk_test_${hex(16)}`,
  stripePublishableKey: () => `pk_test_${hex(16)}`,
  stripeWebhookSecret: () => `whsec_${hex(16)}`,
  acuityUserId: () => String(randomInt(10_000_000, 99_999_999)),
  acuityApiKey: () => hex(16),
  twilioAccountSid: () => `AC${hex(16)}`,
  twilioAuthToken: () => hex(16),
};

/**
 * Returns a sandbox's secrets, which are generated once and stored next to its data.
 * @param {string} data the data folder
 * @returns {Record<keyof typeof generators, string>}
 */
export function loadSecrets(data) {
  const file = path.join(data, 'secrets.json');
  if (!existsSync(file) && existsSync(path.join(data, 'postgres/data')))
    throw new UserError(
      `${file} is missing, and with it the database's password: put it back, or use another folder with --data.`,
    );
  const stored = readJson(file);
  const missing = Object.keys(generators).filter((name) => !(name in stored));
  const secrets = { ...stored, ...Object.fromEntries(missing.map((name) => [name, generators[name]()])) };
  if (missing.length > 0) writeJson(file, secrets);
  return secrets;
}
