import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, ROWAN } from '#dev/testing/scheduling.ts';
import type { Task } from '#generated/prisma/client.ts';
import { newId } from '#server/core/ids.ts';
import { listAppointments } from '#server/scheduling/appointments/list-appointments.ts';
import { bookAppointment } from '../scheduling/booking/book-appointment.ts';
import { rescheduleAppointment } from '../scheduling/booking/reschedule-appointment.ts';
import { listMembers } from './member.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic?.stop());

test('counts and lists the upcoming appointments of a leaving member, on both of their calendars', async () => {
  const { tenantId, db } = clinic.ctx;
  const id = newId();
  const email = 'rowan@clinic.example.test';
  await db.staffUser.create({
    data: { id, tenantId, email, name: 'Rowan Example', role: 'practitioner', passwordHash: 'none' },
  });
  // Two calendars with one practitioner.
  for (const calendar of clinic.acuity.calendars()) if (calendar.id === ALDER) calendar.email = email;
  clinic.services.catalogues.clear();
  await db.providerSnapshot.deleteMany();
  const day = clinic.nextDay();
  const bookedIds: string[] = [];
  for (const [calendar_id, at] of [
    [ROWAN, 0],
    [ALDER, 6],
  ] as const) {
    const { from_date } = (await clinic.free(day, calendar_id))[at]!;
    bookedIds.push((await bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id }))).id);
  }
  const admin = asAdmin(clinic.services, clinic.tenant);
  const count = async () => (await listMembers(admin)).find((member) => member.id === id)!.upcoming_visits;
  expect(await count()).toBe(2);
  await db.staffUser.updateMany({ where: { id }, data: { disabledAt: new Date() } });
  clinic.services.catalogues.clear();
  // A rescheduled appointment keeps its practitioner.
  const other = (await clinic.free(day, ROWAN)).at(-1)!;
  await rescheduleAppointment(clinic.app(), { id: bookedIds[0]!, from_date: other.from_date });
  const { items } = await listAppointments(admin, { practitioner_id: id, period: 'upcoming' });
  expect(items.map((appointment) => appointment.id).sort()).toEqual(bookedIds.sort());
  expect(await count()).toBe(2);
});

test('counts the open tasks of each member', async () => {
  const { tenantId, db } = clinic.ctx;
  const admin = asAdmin(clinic.services, clinic.tenant);
  const id = newId();
  await db.staffUser.create({
    data: { id, tenantId, email: 'billing@clinic.example.test', name: 'Bo Example', role: 'billing' },
  });
  const task = (of: Partial<Task>) => ({
    ...{ id: newId(), tenantId, title: 'Call back', dueDate: new Date('2030-01-01') },
    ...{ createdByType: 'User', createdBy: id, createdAt: new Date(), updatedAt: new Date(), ...of },
  });
  await db.task.createMany({
    data: [
      task({ assigneeId: id }),
      task({ assigneeId: id, completedAt: new Date(), completedByType: 'User', completedBy: id }),
      task({ assigneeRole: 'billing' }),
    ],
  });
  const counts = (await listMembers(admin)).filter(({ open_tasks }) => open_tasks);
  expect(counts).toMatchObject([{ id, open_tasks: 1, upcoming_visits: 0 }]);
});
