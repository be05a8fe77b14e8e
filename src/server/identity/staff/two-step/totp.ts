import { Secret, TOTP } from 'otpauth';
import { SECOND } from '../../../core/clock.ts';

/**
 * What every authenticator app supports: SHA-1, six digits, 30 seconds (RFC 6238); 160 bits as RFC 4226 §4 recommends.
 */
const SECRET_BYTES = 20;
const DIGITS = 6;
const PERIOD = 30 * SECOND;
/** Also accepts the code of the step before or after, to allow for clock skew (RFC 6238 §5.2). */
const STEPS_BESIDE = 1;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD / SECOND,
  });

/** In base32, the form for manual entry. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The `otpauth://` URI that apps read from a QR code. */
export const totpUri = (secret: string, names: { issuer: string; label: string }): string =>
  totpOf(secret, names).toString();

/** Returns the time step of a code, or null if the code is not valid now. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: STEPS_BESIDE });
  return delta === null ? null : Math.floor(timestamp / PERIOD) + delta;
}

export const secretBoundTo = (tenantId: string, userId: string): string =>
  `staff_two_steps/${tenantId}/${userId}/secret`;
