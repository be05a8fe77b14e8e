import { draw } from '../core/webhooks.ts';
import type { Call } from './call.ts';
import type { LostWebhook, WebhookTraffic } from './state.ts';

const MAX_LOST = 500;

/** Sends a webhook after the configured delay, or drops it: then it is recorded and not retried. */
export function sendWebhook(call: Pick<Call, 'account' | 'world'>, webhook: LostWebhook): void {
  const { traffic } = call.account;
  if (!isLost(traffic)) {
    put(call, webhook, traffic.delayMs);
    return;
  }
  traffic.lost.push(webhook);
  traffic.lost.splice(0, traffic.lost.length - MAX_LOST);
}

/**
 * Sends the dropped webhooks, oldest first, and stops dropping.
 * @returns the number of webhooks sent
 */
export function sendLost(call: Pick<Call, 'account' | 'world'>): number {
  const { traffic } = call.account;
  traffic.drop = null;
  const lost = traffic.lost.splice(0);
  for (const webhook of lost) put(call, webhook, 0);
  return lost.length;
}

function put(
  { account, world }: Pick<Call, 'account' | 'world'>,
  { url, action, body }: LostWebhook,
  delayMs: number,
): void {
  const contentType = 'application/x-www-form-urlencoded';
  world.webhooks.send({ url, event: action, contentType, keyId: account.userId, body }, delayMs);
}

function isLost(traffic: WebhookTraffic): boolean {
  const { drop } = traffic;
  if (!drop) return false;
  if ('all' in drop) return true;
  if ('share' in drop) return draw(drop.seed, drop.drawn++) < drop.share;
  drop.next--;
  if (drop.next === 0) traffic.drop = null;
  return true;
}
