import { COMMON_PASSWORDS } from './common-passwords.ts';

const LENGTH = { min: 12, max: 256 };
/** Shorter names, like "jo", occur in good passwords by chance. */
const MIN_NAME_LENGTH = 3;

export type PasswordFault = {
  code: 'password_too_short' | 'password_too_long' | 'password_too_common' | 'password_contains_email';
  message: string;
};

/**
 * Returns the problem with a new password, or null: it must be long, not common and must not contain the email's name;
 * there are no rules of composition (NIST SP 800-63B §3.1.1.2). A patient's password is validated by the client, which
 * is the only one to see it; a staff user's by the service.
 */
export function passwordFault(password: string, email: string): PasswordFault | null {
  const normal = String(password).normalize('NFKC');
  const length = [...normal].length;
  const lower = normal.toLowerCase();
  const name = email.normalize('NFKC').toLowerCase().split('@')[0]!;
  if (length < LENGTH.min)
    return { code: 'password_too_short', message: `The password needs at least ${LENGTH.min} characters.` };
  if (length > LENGTH.max)
    return { code: 'password_too_long', message: `The password may have at most ${LENGTH.max} characters.` };
  if (isCommon(lower))
    return { code: 'password_too_common', message: 'This password is one of the first that others would try.' };
  if (name.length >= MIN_NAME_LENGTH && lower.includes(name))
    return { code: 'password_contains_email', message: 'The password must not contain the name in the email.' };
  return null;
}

/** Whether the password is in the list, or a repetition of an entry. */
function isCommon(lower: string): boolean {
  if (COMMON_PASSWORDS.has(lower)) return true;
  const period = (lower + lower).indexOf(lower, 1);
  return period < lower.length && (period <= 4 || COMMON_PASSWORDS.has(lower.slice(0, period)));
}
