import { PasswordRuleError } from './errors.ts';
import { passwordError } from './protocol/password-rules.ts';

/**
 * Validates a new password on the client, which is the only one to see it.
 * @throws PasswordRuleError
 */
export function checkPassword(password: string, email: string): void {
  const error = passwordError(password, email);
  if (error) throw new PasswordRuleError(error.code, error.message);
}
