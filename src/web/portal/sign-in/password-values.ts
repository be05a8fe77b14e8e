import { z } from 'zod';

/** The server validates more; only the length is reported together with missing fields. Counted as the server does. */
export const isLongEnough = (password: string): boolean => [...password.normalize('NFKC')].length >= 12;
export const TOO_SHORT = 'The password needs at least 12 characters.';

export const NewPasswordValues = z.object({
  name: z.string().trim().min(1, 'Enter your name.').max(100),
  password: z.string().min(1, 'Choose a password.').max(1024).refine(isLongEnough, TOO_SHORT),
});

export const ForgotPasswordValues = z.object({ email: z.email('Enter your work email.').trim() });
