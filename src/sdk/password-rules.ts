import { PasswordRuleError } from './errors.ts';
import { passwordFault } from './protocol/password-rules.ts';

/** The rules for a new password, judged here because only the client sees it. @throws PasswordRuleError */
export function checkPassword(password: string, email: string): void {
  const fault = passwordFault(password, email);
  if (fault) throw new PasswordRuleError(fault.code, fault.message);
}
