import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import type { PreviewNoticeInput } from '#contract/visit-messages.ts';
import { asAdmin, asPatient } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient } from '#dev/testing/scheduling.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { recordDeliveryError } from '#server/consent/index.ts';
import { newId } from '#server/core/ids.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { updateMessageSettings } from './message-settings.ts';
import { previewNotice } from './preview-notice.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

const admin = () => asAdmin(bench.clinic.services, bench.clinic.tenant);
const preview = (input: PreviewNoticeInput) => previewNotice(admin(), input);
const bounce = (address: string) =>
  recordDeliveryError(
    bench.clinic.ctx,
    address,
    Object.assign(new Error('550'), { responseCode: 550, command: 'RCPT TO' }),
  );

describe('the preview of a notice', () => {
  test('names the message and the address, and is what is sent', async () => {
    const { appointment, email, patientId } = await bench.booked();
    await bench.settle();
    const shared = { patient_id: patientId, channel: 'email', address: email, why: null };
    expect(await preview({ action: 'book', patient_id: patientId })).toEqual({ ...shared, kind: 'confirmation' });
    expect(await preview({ action: 'move', id: appointment.id })).toEqual({ ...shared, kind: 'move' });
    expect(await preview({ action: 'cancel', id: appointment.id })).toEqual({ ...shared, kind: 'cancellation' });
    await cancelAppointment(admin(), { id: appointment.id });
    await bench.settle(bench.afterUndo());
    expect(bench.mailsTo(email)).toHaveLength(2);
    expect((await bench.rowsOf(appointment.id)).some(({ kind }) => kind === 'move')).toBe(false);
  });

  test('says that a cancellation right after the booking tells nothing, as the plan decides', async () => {
    const { appointment, email } = await bench.booked();
    expect(await preview({ action: 'cancel', id: appointment.id })).toMatchObject({ why: 'overtaken' });
    expect(await preview({ action: 'move', id: appointment.id })).toMatchObject({ kind: 'confirmation', why: null });
    await cancelAppointment(admin(), { id: appointment.id });
    await bench.settle(bench.afterUndo());
    expect(bench.mailsTo(email)).toEqual([]);
  });

  test('has the reason when the address is missing or had a bounce', async () => {
    const { id } = await makePatient(bench.clinic, { email: null });
    expect(await preview({ action: 'book', patient_id: id })).toMatchObject({ address: null, why: 'no_address' });
    const { appointment, email } = await bench.booked();
    await bench.settle();
    await bounce(email);
    expect(await preview({ action: 'move', id: appointment.id })).toMatchObject({ address: email, why: 'bounced' });
  });

  test('of an archived patient is sent for a cancellation only', async () => {
    const { appointment, patientId } = await bench.booked();
    await bench.settle();
    await bench.clinic.ctx.db.patient.updateMany({ where: { id: patientId }, data: { archivedAt: new Date() } });
    expect(await preview({ action: 'move', id: appointment.id })).toMatchObject({ why: 'not_in_care' });
    expect(await preview({ action: 'cancel', id: appointment.id })).toMatchObject({ why: null });
  });

  test('is not for patients, and not for the patients of another clinic', async () => {
    const { appointment, patientId } = await bench.booked();
    const { services, tenant } = bench.clinic;
    const cancel = { action: 'cancel', id: appointment.id } as const;
    expect((await errorOf(previewNotice(asPatient(services, tenant, patientId), cancel))).code).toBe('forbidden');
    expect((await errorOf(preview({ action: 'book', patient_id: newId() }))).code).toBe('not_found');
    expect((await errorOf(preview({ action: 'move', id: newId() }))).code).toBe('not_found');
  });

  test('says which messages the clinic has turned off', async () => {
    const { appointment } = await bench.booked();
    await bench.settle();
    const sends = { ...DEFAULT_SETTINGS.sends, move: false };
    await updateMessageSettings(admin(), { settings: { ...DEFAULT_SETTINGS, sends }, version: 0 });
    expect(await preview({ action: 'move', id: appointment.id })).toMatchObject({ why: 'off' });
    expect(await preview({ action: 'cancel', id: appointment.id })).toMatchObject({ why: null });
  });
});
