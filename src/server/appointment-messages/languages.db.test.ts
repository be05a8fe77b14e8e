import ICAL from 'ical.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { UpdatePatientInput } from '#contract/patients.ts';
import { asAdmin } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { getPatient } from '#server/patients/get-patient.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { updateMessageSettings } from './message-settings.ts';
import { previewMessage } from './router.ts';

const SPANISH = { subject: 'Su visita: {date}', body: 'Hola {name}: {date}, {time}\n\n{link}', text: '{date}' };
const translations = [
  {
    language: 'es',
    words: { confirmation: SPANISH, reminder: SPANISH },
    small: { entry: 'Visita a {clinic}', choices: 'Para elegir sus mensajes:' },
  },
];
const settings = { ...DEFAULT_SETTINGS, translations };

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
  await updateMessageSettings(asAdmin(bench.clinic.services, bench.clinic.tenant), { settings, version: 0 });
});
afterAll(() => bench?.stop());

const DATE = /(lunes|martes|miércoles|jueves|viernes|sábado|domingo), \d+ de \p{L}+ de \d{4}/u;

test("a patient gets each message in their language, or in the tenant's language when it has no translation", async () => {
  const { email, appointment, patientId } = await bench.booked();
  const { language } = await updatePatient(
    bench.clinic.app(),
    UpdatePatientInput.parse({ id: patientId, language: 'ES-us' }),
  );
  expect(language).toBe('es-US');
  expect((await getPatient(bench.clinic.app(), { id: patientId })).language).toBe('es-US');
  await bench.settle();
  const [confirmation] = bench.mailsTo(email);
  expect(confirmation!.subject).toMatch(new RegExp(`^Su visita: ${DATE.source}$`, 'u'));
  expect(confirmation!.html).toContain('<html lang="es-US">');
  expect(`${confirmation!.text}${confirmation!.html}`).not.toMatch(/your|appointment is|Questions/);
  const file = confirmation!.attachments.find(({ mimeType }) => mimeType === 'text/calendar')!;
  const [event] = new ICAL.Component(ICAL.parse(file.text!)).getAllSubcomponents('vevent');
  expect(new ICAL.Event(event!).summary).toMatch(/^Visita a /);

  const [reminder] = (await bench.rowsOf(appointment.id)).filter(({ kind }) => kind === 'reminder');
  await bench.send(reminder!.dueAt);
  expect(bench.mailsTo(email)[1]!.text).toContain('Para elegir sus mensajes:');
  await cancelAppointment(bench.clinic.app(), { id: appointment.id });
  await bench.settle();
  expect(bench.mailsTo(email)[2]!.subject).toMatch(/your appointment on \w+day, .* is canceled$/);
});

test('a removed patient language does not apply to the next message', async () => {
  const { email, patientId } = await bench.booked();
  await updatePatient(bench.clinic.app(), { id: patientId, language: 'es' });
  await updatePatient(bench.clinic.app(), { id: patientId, language: null });
  await bench.settle();
  expect(bench.mailsTo(email)[0]!.subject).toMatch(/your appointment on/);
});

test('the preview shows a language before the settings are saved', async () => {
  const admin = asAdmin(bench.clinic.services, bench.clinic.tenant);
  const inSpanish = await previewMessage(admin, { kind: 'reminder', settings, language: 'es-MX' });
  expect([inSpanish.language, inSpanish.subject]).toEqual(['es-MX', expect.stringMatching(DATE)]);
  const inFrench = await previewMessage(admin, { kind: 'reminder', settings, language: 'fr' });
  expect([inFrench.language, inFrench.subject]).toEqual(['en-US', expect.stringMatching(/your appointment on/)]);
});
