import { existsSync, readFileSync } from 'node:fs';
import type { Card } from '../../../e2e/card.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Reads the card of a complete sandbox on this machine. @throws an Error when an attack would reach another system */
export function readSandboxCard(file: string): Card {
  if (!existsSync(file)) throw new Error('Start a sandbox first (npm start), or name its card with CARELANE_CARD.');
  const card: Card = JSON.parse(readFileSync(file, 'utf8'));
  const addresses = [card.portal_url, card.base_url, card.auth_url, ...Object.values(card.emulators ?? {})];
  const elsewhere = addresses.find((address) => !URL.canParse(address) || !LOOPBACK.test(new URL(address).hostname));
  if (elsewhere !== undefined)
    throw new Error(`Only a sandbox on this machine is attacked, and ${elsewhere} is elsewhere.`);
  const missing = (['inbox', 'stripe', 'acuity'] as const).find((name) => !card.emulators?.[name]);
  if (missing) throw new Error(`Only a whole sandbox is attacked, and this one has no ${missing} emulator.`);
  return card;
}
