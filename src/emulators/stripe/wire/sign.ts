import { createHmac } from 'node:crypto';

/**
 * `Stripe-Signature: t=…,v1=…`: HMAC-SHA256 of `t.body` keyed with the whole secret, one `v1` for each while a secret is being
 * rolled; stamped with real time because receivers check it against theirs.
 */
export function signatureHeader(body: string, secrets: string[], nowMs = Date.now()): string {
  const t = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
