import { z } from 'zod';
import { isLongEnough, TOO_SHORT } from '../sign-in/password-values.ts';

/** Form values of the daily list, as its controls hold them. */
export const DailyListValues = z.object({
  is_on: z.boolean(),
  on_empty_days: z.boolean(),
  hour: z.string(),
  time_zone: z.string(),
});

const Password = z.string().max(1024);

/** When the current password is present, the server validates both fields and reports their errors together. */
export const PasswordValues = z
  .object({ current_password: Password, new_password: Password })
  .superRefine(({ current_password, new_password }, { addIssue }) => {
    if (current_password) return;
    addIssue({ code: 'custom', path: ['current_password'], message: 'Enter your password.' });
    if (!isLongEnough(new_password)) addIssue({ code: 'custom', path: ['new_password'], message: TOO_SHORT });
  });
