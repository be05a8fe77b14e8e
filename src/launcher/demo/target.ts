import { existsSync, readFileSync } from 'node:fs';

export type Target = { baseUrl: string; authUrl: string; clientId: string; clientSecret: string; stripeUrl: string };
type Card = {
  base_url: string;
  auth_url: string;
  client_id: string;
  client_secret: string;
  emulators: { stripe?: string | null };
};

const CARD = '.run/card.json';

/** Reads the target and its credentials: from the options, else from the card that `npm start` wrote. */
export function readTarget(options: Record<string, string | boolean | undefined>): Target {
  const card: Card | null = existsSync(CARD) ? JSON.parse(readFileSync(CARD, 'utf8')) : null;
  const option = (name: string, env?: string) => (options[name] as string | undefined) ?? (env && process.env[env]);
  const baseUrl = (option('base-url') ?? card?.base_url)?.replace(/\/$/, '');
  if (!baseUrl) throw new Error('Start the service first (npm start), or name one with --base-url.');
  const ours = card?.base_url === baseUrl ? card : null;
  const clientId = option('client-id', 'CARELANE_CLIENT_ID') ?? ours?.client_id;
  const clientSecret = option('client-secret', 'CARELANE_CLIENT_SECRET') ?? ours?.client_secret;
  if (!clientId || !clientSecret)
    throw new Error('Name the application with --client-id and CARELANE_CLIENT_SECRET (or --client-secret).');
  return {
    baseUrl,
    authUrl: option('auth-url') ?? ours?.auth_url ?? baseUrl.replace(/\/api\/v1$/, '/identity/oauth2/token'),
    clientId,
    clientSecret,
    stripeUrl: (option('stripe-url') ?? ours?.emulators.stripe ?? 'https://api.stripe.com').replace(/\/$/, ''),
  };
}
