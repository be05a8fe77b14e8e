import { dialogBehind, type FormCase, LONG } from './form-case.ts';

export const TASK_FORMS: FormCase[] = [
  {
    file: 'tasks/task-form.tsx: new',
    open: dialogBehind('/tasks', 'New task'),
    submit: 'Create task',
    invalid: { Title: LONG },
    valid: { Title: 'Call the pharmacy', Details: 'About the new dose', Due: '2030-02-28' },
    call: 'tasks.create',
  },
  {
    file: 'tasks/task-form.tsx: edit',
    open: async (page, api) => {
      const patient = await api.createPatient();
      await api.call('/tasks', { title: 'Call back', patient_id: patient.id });
      await page.goto(`/patients/${patient.id}`);
      await page.getByRole('button', { name: 'Actions for “Call back”' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      return page.getByRole('dialog', { name: 'Edit task' });
    },
    submit: 'Save task',
    mayBeEmpty: true,
    invalid: { Title: LONG },
    valid: { Title: 'Call the pharmacy' },
    call: 'tasks.update',
  },
];
