import { createHmac } from 'node:crypto';

/**
 * Builds `Stripe-Signature: t=…,v1=…`: HMAC-SHA256 of `t.body` keyed with the whole secret, with one `v1`
 * per secret while a secret is rolled. Uses real time, because receivers compare it with theirs.
 */
export function signatureHeader(body: string, secrets: string[], nowMs = Date.now()): string {
  const t = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
