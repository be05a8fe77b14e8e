import { PasswordRuleError } from './errors.ts';
import { passwordFault } from './protocol/password-rules.ts';

/**
 * Validates a new password on the client, which is the only one to see it.
 * @throws PasswordRuleError
 */
export function checkPassword(password: string, email: string): void {
  const fault = passwordFault(password, email);
  if (fault) throw new PasswordRuleError(fault.code, fault.message);
}
