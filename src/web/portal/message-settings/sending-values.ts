import { z } from 'zod';

/** Form values for sending; the message texts belong to another form. */
export const SendingValues = z
  .object({
    confirmation: z.boolean(),
    move: z.boolean(),
    cancellation: z.boolean(),
    reminder: z.boolean(),
    reminders: z.array(z.number()).max(5, 'Choose at most five reminders.'),
    email: z.boolean(),
    sms: z.boolean(),
    quiet: z.boolean(),
    from: z.string(),
    until: z.string(),
    says_type: z.boolean(),
    says_practitioner: z.boolean(),
    says_patient: z.boolean(),
    provider_mails: z.boolean(),
  })
  .superRefine((values, { addIssue }) => {
    const addError = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (values.reminder && values.reminders.length === 0) addError('reminders', 'Choose when to remind.');
    if (values.reminder && !values.email && !values.sms)
      addError('sms', 'Choose how to remind: by email, by text or both.');
    if (values.quiet && values.from === values.until) addError('until', 'Choose another time than when they begin.');
  });
