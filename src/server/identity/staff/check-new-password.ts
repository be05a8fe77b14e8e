import { passwordFault } from '#sdk/protocol/password-rules.ts';
import { invalid } from '../../core/errors.ts';

/** The rules that patients' passwords are under too. Error: invalid_parameter, at the field. */
export function checkNewPassword(password: string, email: string, field = 'password'): void {
  const fault = passwordFault(password, email);
  if (fault) throw invalid(field, fault.message);
}
