import { type FormCase, LONG, regionOn } from './form-case.ts';

/** Forms of the page with the clinic's settings. */
export const CLINIC_FORMS: FormCase[] = [
  {
    file: 'clinic/clinic-form.tsx',
    open: regionOn('/settings/clinic', 'About the clinic'),
    submit: 'Save clinic',
    mayBeEmpty: true,
    invalid: {
      Name: LONG,
      'Phone for questions': '12',
      'Email for questions': 'no-email',
      'Your terms': 'ftp://x',
      'Your privacy notice': LONG,
      Color: 'orange',
    },
    valid: { Name: 'Riverbend Clinic' },
    call: 'clinic.update',
  },
  {
    file: 'clinic/clinic-page.tsx',
    open: regionOn('/settings/clinic', 'Video visits'),
    submit: 'Save video visits',
    mayBeEmpty: true,
    valid: {},
    choose: async (form) => {
      await form.getByRole('combobox').selectOption({ label: 'Their date of birth' });
    },
    call: 'visits.setCheck',
  },
  {
    file: 'clinic/cancel-reasons-card.tsx',
    open: regionOn('/settings/clinic', 'Reasons for canceling'),
    submit: 'Save reasons',
    mayBeEmpty: true,
    invalid: { 'Reasons, one in each line': LONG },
    valid: { 'Reasons, one in each line': 'The patient asked' },
    call: 'clinic.setCancelReasons',
  },
];
