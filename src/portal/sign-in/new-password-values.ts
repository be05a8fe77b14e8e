import { z } from 'zod';

export const NewPasswordValues = z.object({
  name: z.string().trim().min(1, 'Enter your name.').max(100),
  password: z.string().min(1, 'Choose a password.').max(1024),
});
