import { sha256 } from '#server/core/crypto.ts';
import { newToken } from '#server/core/ids.ts';

/** `{tenant id in base64url}.{256 random bits}`: names its tenant, so that it can be looked up without knowing one. */
export const newCheckoutToken = (tenantId: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${newToken()}`;

/** What is kept of a token. */
export const hashCheckoutToken = (token: string): string => sha256(token);
