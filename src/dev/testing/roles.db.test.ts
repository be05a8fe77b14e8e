import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PRACTITIONER_OPTIONS, permissionsOf, type Role } from '#contract/roles.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { videoUrl } from '#server/core/video-url.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { getMe } from '#server/identity/staff/router.ts';
import { signInStaff } from '#server/identity/staff/sign-in-staff.ts';
import { staffActor } from '#server/identity/staff/staff-actor.ts';
import { createCaller } from '#server/router.ts';
import { exportAppointments } from '#server/scheduling/appointments/export-appointments.ts';
import { asAdmin, asPractitioner, asStaff } from './actors.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';

const PASSWORD = 'correct horse battery';

let clinic: Sandbox;
let count = 0;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
});
afterAll(() => clinic?.stop());

async function add(role: Role) {
  count += 1;
  const email = `role${count}@example.test`;
  const { id } = await createStaffUser(clinic.ctx, { email, name: `Robin Example ${count}`, role, password: PASSWORD });
  return { id, email };
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => error.cause?.code ?? error.code ?? error,
  );
async function enter(email: string) {
  count += 1;
  const session = await signInStaff(clinic.services, { email, password: PASSWORD, source: `198.51.100.${count}` });
  if (session === null || session === 'code_required') throw new Error(`not signed in: ${session}`);
  return session;
}
const admin = async () => createCaller(asAdmin(clinic.services, clinic.tenant, (await add('admin')).id));

describe('a role', () => {
  test('is given by an invitation, and its permissions are in the session', async () => {
    const { team } = await admin();
    for (const role of ['front_desk', 'billing', 'read_only'] as const) {
      const invited = await team.invite({ email: `invited-${role}@example.test`, name: 'Robin Example', role });
      expect(invited).toMatchObject({ role, status: 'invited' });
      const { email } = await add(role);
      const actor = await staffActor(clinic.services, await enter(email));
      expect(actor).toMatchObject({ kind: role, permissions: new Set(permissionsOf(role, [])) });
      expect((await getMe(contextFor(clinic.services, actor!))).permissions).toEqual(permissionsOf(role, []));
    }
    expect(await codeOf(team.invite({ email: 'x@example.test', name: 'X', role: 'owner' as never }))).not.toBe('done');
  });

  test('is the author of what its holder does', async () => {
    const caller = createCaller(asStaff(clinic.services, clinic.tenant, 'front_desk'));
    const { id } = await caller.patients.create({ first_name: 'Robin', last_name: 'Example' } as never);
    const [entry] = await clinic.ctx.db.auditEntry.findMany({ where: { patientId: id, action: 'patients.create' } });
    expect(entry).toMatchObject({ actorType: 'Staff' });
  });

  test('that was lost during a request gives, changes and takes nothing any more', async () => {
    const [former, colleague] = [await add('admin'), await add('practitioner')];
    const waiting = { email: 'waiting@example.test', name: 'Waiting Example', role: 'read_only' } as const;
    const invited = await (await admin()).team.invite(waiting);
    // Authorised as an administrator; the role changes before the transaction.
    const { team } = createCaller(asAdmin(clinic.services, clinic.tenant, former.id));
    await (await admin()).team.changeRole({ id: former.id, role: 'front_desk' });
    const calls = [
      team.invite({ email: 'late@example.test', name: 'Late Example', role: 'read_only' }),
      team.changeRole({ id: colleague.id, role: 'read_only' }),
      team.disable({ id: colleague.id }),
      team.resetTwoStep({ id: colleague.id }),
      team.resend({ id: invited.id }),
      team.withdraw({ id: invited.id }),
      team.enable({ id: colleague.id }),
      team.setPractitionerOption({ option: 'payments:refund', allowed: true }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'forbidden'));
    expect((await (await admin()).team.list()).find(({ id }) => id === colleague.id)).toMatchObject({
      role: 'practitioner',
      status: 'active',
    });
  });
});

describe('what the clinic lets its practitioners do', () => {
  test('is nothing at a new clinic, and applies to open sessions within a second', async () => {
    const { team } = await admin();
    expect(await team.practitionerOptions()).toEqual({ options: [] });
    const session = await enter((await add('practitioner')).email);
    const mayRefund = async () => {
      const actor = await staffActor(clinic.services, session);
      return Boolean(actor && 'permissions' in actor && actor.permissions.has('payments:refund'));
    };
    expect(await mayRefund()).toBe(false);
    const allow = (allowed: boolean) => team.setPractitionerOption({ option: 'payments:refund', allowed });
    for (const _ of [1, 2]) expect(await allow(true)).toEqual({ options: ['payments:refund'] });
    await expect.poll(mayRefund, { timeout: 3000 }).toBe(true);
    await allow(false);
    await expect.poll(mayRefund, { timeout: 3000 }).toBe(false);
    const entries = await clinic.ctx.db.auditEntry.findMany({
      where: { action: 'team.set_practitioner_option', outcome: null },
      orderBy: { position: 'asc' },
    });
    expect(entries.map(({ details }) => details)).toEqual([
      { option: 'payments:refund', allowed: true },
      { option: 'payments:refund', allowed: false },
    ]);
  });

  test('is one of three permissions, and two admins who choose at the same time both keep their choice', async () => {
    const { team } = await admin();
    const other = await admin();
    expect(await codeOf(team.setPractitionerOption({ option: 'team:manage' as never, allowed: true }))).not.toBe(
      'done',
    );
    expect(await team.practitionerOptions()).toEqual({ options: [] });
    await Promise.all([
      team.setPractitionerOption({ option: 'lists:export', allowed: true }),
      other.team.setPractitionerOption({ option: 'subscriptions:cancel', allowed: true }),
    ]);
    expect(await team.practitionerOptions()).toEqual({ options: ['subscriptions:cancel', 'lists:export'] });
    for (const option of PRACTITIONER_OPTIONS) await team.setPractitionerOption({ option, allowed: false });
  });

  test('decides about canceling subscriptions, refunds and exports', async () => {
    const calls = (ctx: Context) => {
      const caller = createCaller(ctx);
      return Promise.all([
        codeOf(caller.subscriptions.cancel({ id: 'sub_absent' })),
        codeOf(caller.payments.refund({ id: 'in_absent' })),
        codeOf(exportAppointments(ctx, {})),
      ]);
    };
    const { services, tenant } = clinic;
    expect(await calls(asPractitioner(services, tenant, newId(), []))).toEqual(Array(3).fill('forbidden'));
    expect(await calls(asPractitioner(services, tenant))).toEqual(['not_found', 'not_found', 'done']);
    expect(await calls(asStaff(services, tenant, 'billing'))).toEqual(['not_found', 'not_found', 'done']);
    expect(await calls(asStaff(services, tenant, 'front_desk'))).toEqual(Array(3).fill('forbidden'));
    expect(await calls(asStaff(services, tenant, 'read_only'))).toEqual(Array(3).fill('forbidden'));
  });
});

describe('a link with which its holder acts as the patient', () => {
  test('to a video visit is given to those who book or host, in every view', async () => {
    const { services, tenant, ctx } = clinic;
    const patientId = newId();
    await ctx.db.patient.create({ data: { id: patientId, tenantId: tenant.id, firstName: 'Robin' } });
    const [id, videoToken] = [newId(), newLinkToken(tenant.id)];
    const startAt = new Date(Date.now() + 3_600_000);
    await ctx.db.appointment.create({
      data: {
        ...{ id, tenantId: tenant.id, patientId, appointmentTypeId: 1, appointmentType: 'Visit', calendarId: 1 },
        ...{ calendar: 'Rowan Example', startAt, endAt: new Date(startAt.getTime() + 1_800_000) },
        ...{ timeZone: 'America/New_York', videoToken, status: 'scheduled' },
        location: videoUrl(ctx, videoToken),
      },
    });
    const shows = async (role: Role) => {
      const { appointments } = createCaller(asStaff(services, tenant, role));
      const day = { from_date: new Date().toISOString(), to_date: new Date(Date.now() + 86_400_000).toISOString() };
      const views = [
        await appointments.get({ id }),
        await appointments.show({ id }),
        await appointments.list({ patient_id: patientId }),
        await appointments.showCalendar(day),
      ];
      return views.map((view) => JSON.stringify(view).includes(videoToken));
    };
    for (const role of ['read_only', 'billing'] as const)
      expect([role, await shows(role)]).toEqual([role, [false, false, false, false]]);
    expect(await shows('practitioner')).toEqual([true, true, true, true]);
    expect(await shows('front_desk')).toEqual([true, true, true, true]);
  });

  test('to manage a subscription is given to those who may cancel it', async () => {
    const { services, tenant } = clinic;
    const make = (ctx: Context) =>
      codeOf(createCaller(ctx).subscriptions.createManageLink({ subscription_id: 'sub_absent' }));
    expect(await make(asStaff(services, tenant, 'front_desk'))).toBe('forbidden');
    expect(await make(asPractitioner(services, tenant, newId(), []))).toBe('forbidden');
    expect(await make(asPractitioner(services, tenant, newId(), ['subscriptions:cancel']))).toBe('not_found');
  });
});
