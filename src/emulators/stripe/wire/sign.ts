import { createHmac } from 'node:crypto';

/** `Stripe-Signature: t=…,v1=…`: HMAC-SHA256 of `t.body` keyed with the whole secret, stamped with real time because receivers check it against theirs. */
export function signatureHeader(body: string, secret: string, nowMs = Date.now()): string {
  const t = Math.floor(nowMs / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
}
