import type { PatientView } from '#contract/patients.ts';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail } from './inbox.ts';

/** "martes, 24 de noviembre de 2026", or with other punctuation. */
const DATE = /(lunes|martes|miércoles|jueves|viernes|sábado|domingo),? \d{1,2} de [a-z]+ de 20\d\d/;

test('a clinic adds a language, and a patient who reads it gets it from the booking to the message choices', {
  tag: '@prove',
}, async ({ page, visitor, signIn, api }) => {
  await signIn('admin');
  await page.goto('/settings/messages');
  const templates = page.getByRole('region', { name: 'Words' });
  await templates.getByLabel('Add a language').fill('Spanish');
  await page.getByRole('option', { name: 'Spanish', exact: true }).click();
  await expect(page.getByText('Spanish added')).toBeVisible();
  const save = async (kind: string, fields: Record<string, string>) => {
    await templates.getByRole('button', { name: kind, exact: true }).click();
    for (const [label, value] of Object.entries(fields)) await templates.getByLabel(label, { exact: true }).fill(value);
    const saved = page.waitForResponse(/messageSettings\.update/);
    await templates.getByRole('button', { name: 'Save wording' }).click();
    expect((await saved).status()).toBe(200);
  };
  const text = '{clinic}: {date} {time} {link}';
  await save('Confirmation', {
    'Subject of the email': '{clinic}: su visita del {date}',
    Email: 'Hola, {name}:\n\nSu visita es el {date} a las {time}.\n\n{link}',
    'Text message': text,
  });
  await save('Reminder', {
    'Subject of the email': '{clinic}: le recordamos su visita',
    Email: 'Hola, {name}:\n\nLe esperamos el {date} a las {time}.\n\n{link}',
    'Text message': text,
  });

  const email = `ines-${randomSuffix()}@patients.example.test`;
  const patient = await api.call<PatientView>('/patients', { first_name: 'Inés', email, language: 'es-MX' });
  const appointment = await api.book(patient.id);
  const booked = await awaitMail(email);
  expect(booked.subject).toContain(': su visita del ');
  expect(booked.text).toMatch(DATE);
  expect(booked.text).toContain('Hola, Inés:');
  expect(booked.html).toContain('<html lang="es-MX">');
  expect(booked.text).not.toMatch(/\b(your|appointment is|at \d)/);
  await visitor.goto(booked.text.match(/https?:\/\/\S+/)![0]);
  await expect(
    visitor.getByRole('heading', { level: 1, name: `Your visit with ${appointment.calendar}` }),
  ).toBeVisible();

  await page.goto(`/appointments/${appointment.id}`);
  const reminder = page.getByRole('listitem').filter({ hasText: 'Reminder 1 hour before, by email' });
  await reminder.getByRole('button', { name: /^Don’t send/ }).click();
  await reminder.getByRole('button', { name: /^Send now/ }).click();
  await expect(reminder.getByText('Sent', { exact: true })).toBeVisible();
  const reminded = await awaitMail(email, booked.subject.replace(/su visita del .*/, 'le recordamos su visita'));
  expect(reminded.text).toMatch(DATE);
  await visitor.goto(reminded.text.match(/https?:\/\/\S+\/choices\S*/)![0]);
  await visitor.getByRole('button', { name: 'End reminders by email' }).click();
  await expect(visitor.getByText('They are not sent to you.')).toBeVisible();

  await page.goto('/settings/messages');
  await templates.getByRole('combobox', { name: 'Language of the wording' }).selectOption({ label: 'Spanish' });
  await templates.getByRole('button', { name: 'Remove Spanish' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('Spanish removed')).toBeVisible();
  await api.cancelAppointment(appointment.id);
});
