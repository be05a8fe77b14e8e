import { z } from 'zod';

export const ForgotPasswordValues = z.object({ email: z.email('Enter your work email.').trim() });
