import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Role } from '#contract/roles.ts';

/** Data that `npm start` writes about the copy that it serves. */
export type Card = {
  base_url: string;
  auth_url: string;
  portal_url: string;
  client_id: string;
  client_secret: string;
  playground_url: string;
  configuration_tokens: { passwordless: string; credentials: string };
  staff: { email: string; password: string; role: Role }[];
  emulators: { stripe: string; acuity: string; inbox: string };
};

/** Paths of the cards of the copies under test: each worker of a run has a copy of its own. */
const cards = () => (process.env.CARELANE_CARD ?? '.run/card.json').split(path.delimiter);
export const COPIES = cards().length;
export const cardFile = (): string => cards()[Number(process.env.TEST_PARALLEL_INDEX ?? 0)]!;

export function readCard(): Card {
  return JSON.parse(readFileSync(cardFile(), 'utf8'));
}

export function staffOf(role: Role): Card['staff'][number] {
  const user = readCard().staff.find((member) => member.role === role);
  if (!user) throw new Error(`the card names no ${role}`);
  return user;
}
