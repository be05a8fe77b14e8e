import type { FormCase } from './form-case.ts';

export const NOTE_FORMS: FormCase[] = [
  {
    file: 'notes/note-form.tsx',
    open: async (page, api) => {
      const { id } = await api.createPatient();
      await page.goto(`/patients/${id}`);
      await page.getByRole('button', { name: 'Write a note' }).click();
      return page.getByRole('region', { name: 'Notes' });
    },
    submit: 'Save note',
    valid: { Note: 'Called about the new dose' },
    call: 'notes.create',
  },
];
