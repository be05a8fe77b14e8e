import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PRACTITIONER_OPTIONS, permissionsOf, type Role } from '#contract/roles.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
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
    // Authorised as an administrator; the role changes before the transaction.
    const { team } = createCaller(asAdmin(clinic.services, clinic.tenant, former.id));
    await (await admin()).team.changeRole({ id: former.id, role: 'front_desk' });
    const calls = [
      team.invite({ email: 'late@example.test', name: 'Late Example', role: 'read_only' }),
      team.changeRole({ id: colleague.id, role: 'read_only' }),
      team.disable({ id: colleague.id }),
      team.resetTwoStep({ id: colleague.id }),
      team.setPractitionerOptions({ options: [...PRACTITIONER_OPTIONS] }),
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
    expect(await team.setPractitionerOptions({ options: ['payments:refund', 'payments:refund'] })).toEqual({
      options: ['payments:refund'],
    });
    await expect.poll(mayRefund, { timeout: 3000 }).toBe(true);
    await team.setPractitionerOptions({ options: [] });
    await expect.poll(mayRefund, { timeout: 3000 }).toBe(false);
    const entries = await clinic.ctx.db.auditEntry.findMany({
      where: { action: 'team.set_practitioner_options', outcome: null },
      orderBy: { position: 'asc' },
    });
    expect(entries.map(({ details }) => details)).toEqual([{ options: ['payments:refund'] }, { options: [] }]);
  });

  test('is one of three permissions', async () => {
    const { team } = await admin();
    expect(await codeOf(team.setPractitionerOptions({ options: ['team:manage' as never] }))).not.toBe('done');
    expect(await team.practitionerOptions()).toEqual({ options: [] });
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
