import { readFileSync } from 'node:fs';

/** What `npm start` writes about the copy that it serves. */
export type Card = {
  base_url: string;
  auth_url: string;
  portal_url: string;
  client_id: string;
  client_secret: string;
  playground_url: string;
  staff: { email: string; password: string; role: Role }[];
  emulators: { stripe: string; acuity: string; inbox: string };
};
export type Role = 'admin' | 'practitioner';

export function readCard(): Card {
  return JSON.parse(readFileSync(process.env.CARELANE_CARD ?? '.run/card.json', 'utf8'));
}

export function staffOf(role: Role): Card['staff'][number] {
  const found = readCard().staff.find((member) => member.role === role);
  if (!found) throw new Error(`the card names no ${role}`);
  return found;
}
