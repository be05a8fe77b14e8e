import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { testServices } from '#dev/testing/services.ts';
import { auditEntriesOf } from '#dev/testing/stored-entries.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { contextFor } from './context.ts';
import { newId } from './ids.ts';
import { recordAccess } from './record-access.ts';

let clinic: Sandbox;
let owner: pg.Client;
let token: string;
let patientId: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  token = await clinic.token(await clinic.application(clinic.ctx));
  const created = await clinic.rest.call({
    method: 'POST',
    path: '/patients',
    token,
    body: { first_name: 'Zacharias' },
  });
  patientId = created.body.id;
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

const look = (more: object = {}) => ({
  action: 'patients.get' as const,
  object: { type: 'Patient', id: patientId },
  patients: [patientId],
  ...more,
});

async function inserted(requestIds: unknown[]): Promise<{ entries: number; inserts: number }> {
  const { rows } = await owner.query(
    'select count(*)::int as entries, count(distinct xmin::text)::int as inserts from audit_entries where request_id = any($1)',
    [requestIds],
  );
  return rows[0];
}

describe('the queue of audit entries', () => {
  test('writes 64 concurrent reads in a few inserts and loses none', async () => {
    const responses = await Promise.all(
      Array.from({ length: 64 }, () => clinic.rest.call({ method: 'GET', path: `/patients/${patientId}`, token })),
    );
    const ids = responses.map(({ headers }) => headers['request-id']);
    expect((await inserted(ids)).entries).toBe(64);
    // Services of their own: after many reads at once, as above, even the first entry waits for others.
    const services = testServices(clinic.database);
    const ctx = contextFor(services, actorOfStaff({ role: 'admin', tenantId: clinic.ctx.tenantId, userId: newId() }));
    await Promise.all(Array.from({ length: 64 }, () => recordAccess(ctx, look())));
    await services.close();
    // The first entry is inserted alone; the others gather during that insert.
    expect(await inserted([ctx.requestId])).toEqual({ entries: 64, inserts: 2 });
  });

  test("writes each tenant's entries to its own log", async () => {
    const contexts = [clinic.ctx, clinic.otherCtx].map(({ tenantId }) =>
      contextFor(clinic.services, actorOfStaff({ role: 'admin', tenantId, userId: newId() })),
    );
    await Promise.all(contexts.flatMap((ctx) => [recordAccess(ctx, look()), recordAccess(ctx, look())]));
    for (const { requestId, tenantId } of contexts) {
      const { rows } = await owner.query('select tenant_id from audit_entries where request_id = $1', [requestId]);
      expect(rows).toEqual([{ tenant_id: tenantId }, { tenant_id: tenantId }]);
    }
  });

  test('writes the waiting entries on close and accepts no more', async () => {
    const services = testServices(clinic.database);
    const ctx = contextFor(services, actorOfStaff({ role: 'admin', tenantId: clinic.ctx.tenantId, userId: newId() }));
    const notes = Array.from({ length: 40 }, () => recordAccess(ctx, look()));
    await services.close();
    await Promise.all(notes);
    expect(await auditEntriesOf(owner, ctx.requestId)).toHaveLength(40);
    await expect(recordAccess(ctx, look())).rejects.toMatchObject({ code: 'service_busy' });
  });

  test('returns 503 without data when the entry cannot be written', async () => {
    const { rows } = await owner.query(`select distinct a.grantee::regrole::text as role
      from pg_class c, aclexplode(c.relacl) a where c.relname = 'patients' and a.grantee not in (0, c.relowner)`);
    const revoke = rows.map(({ role }) => `revoke insert on audit_entries from ${role}`).join(';');
    const columns = `id, tenant_id, action, object_type, object_id, patient_id, patient_ids, actor_type, actor_id,
      on_behalf_of, application_id, request_id, address, user_agent, outcome, details, created_at`;
    const grant = rows.map(({ role }) => `grant insert (${columns}) on audit_entries to ${role}`).join(';');
    await owner.query(
      `${revoke}; ${rows.map(({ role }) => `revoke insert (${columns}) on audit_entries from ${role}`)}`,
    );
    try {
      for (const path of ['/patients', `/patients/${patientId}`, `/appointments?patient_id=${patientId}`]) {
        const response = await clinic.rest.call({ method: 'GET', path, token });
        expect([path, response.status, response.body.errors[0].code]).toEqual([path, 503, 'service_busy']);
        expect(response.headers['retry-after']).toBe('1');
        expect(JSON.stringify(response.body)).not.toContain('Zacharias');
      }
    } finally {
      await owner.query(grant);
    }
    expect((await clinic.rest.call({ method: 'GET', path: '/patients', token })).status).toBe(200);
  });
});

describe('automatic refetches of a page', () => {
  const ctxFor = (more: object = {}, services = clinic.services, userId = newId()) =>
    contextFor(services, actorOfStaff({ role: 'practitioner', tenantId: clinic.ctx.tenantId, userId }), {
      requestId: newId(),
      ip: '192.0.2.1',
      userAgent: 'curl/8',
      ...more,
    });
  const count = async (userId: string) => {
    const { rows } = await owner.query('select count(*)::int as n from audit_entries where actor_id = $1', [userId]);
    return rows[0].n;
  };
  const REFETCH = { shares: true };

  test('share one entry across processes, while each opened page adds its own', async () => {
    const other = testServices(clinic.database);
    const userId = newId();
    await recordAccess(ctxFor({}, clinic.services, userId), look(REFETCH));
    for (const services of [other, clinic.services, other])
      await Promise.all([1, 2, 3].map(() => recordAccess(ctxFor({}, services, userId), look(REFETCH))));
    expect(await count(userId)).toBe(1);
    await recordAccess(ctxFor({}, other, userId), look());
    expect(await count(userId)).toBe(2);
    await other.close();
  });

  test('share the entry of a page opened a moment before, even within one insert', async () => {
    const [first, userId] = [newId(), newId()];
    // The others wait together while the first entry is written.
    const notes = [first, userId, userId, userId].map((user, index) =>
      recordAccess(ctxFor({}, clinic.services, user), look(index > 1 ? REFETCH : {})),
    );
    await Promise.all(notes);
    expect(await count(userId)).toBe(1);
  });

  test('add an entry for another chart, another user, another address or more patients', async () => {
    const userId = newId();
    const note = (access: object, from: object = {}) =>
      recordAccess(ctxFor(from, clinic.services, userId), look(access));
    await note({ ...REFETCH, patients: [patientId, newId()] });
    await note({ ...REFETCH, object: { type: 'Patient', id: newId() } });
    await note(REFETCH);
    await note(REFETCH, { ip: '192.0.2.2' });
    await note({ ...REFETCH, outcome: 'not_found' });
    await note({ ...REFETCH, patients: [patientId, newId(), newId()] });
    expect(await count(userId)).toBe(6);
  });

  test('add a new entry after five minutes', async () => {
    const userId = newId();
    await recordAccess(ctxFor({}, clinic.services, userId), look(REFETCH));
    // Backdates the entry, which only the owner of the database can do.
    await owner.query(`begin; set local session_replication_role = replica`);
    await owner.query(`update audit_entries set created_at = created_at - interval '301 seconds' where actor_id = $1`, [
      userId,
    ]);
    await owner.query('commit');
    await recordAccess(ctxFor({}, clinic.services, userId), look(REFETCH));
    await recordAccess(ctxFor({}, clinic.services, userId), look(REFETCH));
    expect(await count(userId)).toBe(2);
  });
});
