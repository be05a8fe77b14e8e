import { COMMON_PASSWORDS } from './common-passwords.ts';
import { PasswordRuleError } from './errors.ts';

const LENGTH = { min: 12, max: 256 };
/** A shorter name, like "jo", is in too many good passwords by chance. */
const MIN_NAME_LENGTH = 3;

/**
 * The rules for a new password: long, not common, not the e-mail's name; no rules of composition (NIST SP 800-63B §3.1.1.2).
 * They live here because only the client sees a password.
 * @throws PasswordRuleError
 */
export function checkPassword(password: string, email: string): void {
  const normal = String(password).normalize('NFKC');
  const length = [...normal].length;
  const lower = normal.toLowerCase();
  const name = email.normalize('NFKC').toLowerCase().split('@')[0]!;
  if (length < LENGTH.min)
    throw new PasswordRuleError('password_too_short', `The password needs at least ${LENGTH.min} characters.`);
  if (length > LENGTH.max)
    throw new PasswordRuleError('password_too_long', `The password may have at most ${LENGTH.max} characters.`);
  if (isCommon(lower))
    throw new PasswordRuleError('password_too_common', 'This password is one of the first that others would try.');
  if (name.length >= MIN_NAME_LENGTH && lower.includes(name))
    throw new PasswordRuleError('password_contains_email', 'The password must not contain the name in the e-mail.');
}

/** In the list, or something of it over and over. */
function isCommon(lower: string): boolean {
  if (COMMON_PASSWORDS.has(lower)) return true;
  const period = (lower + lower).indexOf(lower, 1);
  return period < lower.length && (period <= 4 || COMMON_PASSWORDS.has(lower.slice(0, period)));
}
