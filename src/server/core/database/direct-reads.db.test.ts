import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { PrismaClient } from '#generated/prisma/client.ts';
import { type Database, type Db, openDatabase, Prisma, query, type Tx } from '../db.ts';
import { newId } from '../ids.ts';

type Row = Record<string, unknown>;
type Reads = Record<'findFirst' | 'findMany' | 'count' | 'findFirstOrThrow', (args: object) => Promise<unknown>>;
/** Between them, rows of these have every type of column, and nulls. */
const MODELS = ['tenant', 'patient', 'subscription', 'appointment', 'availabilityDay'] as const;
type ModelName = (typeof MODELS)[number];
const KEYS: Partial<Record<ModelName, string[]>> = {
  availabilityDay: ['appointmentTypeId', 'calendarId', 'day'],
};
const orderOf = (name: ModelName) => (KEYS[name] ?? ['id']).map((key) => ({ [key]: 'asc' }));

const [tenantId, otherTenantId] = [newId(), newId()];
const [maple, birch, other] = [newId(), newId(), newId()];
let testDatabase: TestDatabase;
let database: Database;
let db: Db;
/** Prisma's own client, in the tenant's scope. */
let prisma: PrismaClient;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 2 });
  db = database.forTenant(tenantId);
  const options = `-c app.tenant_id=${tenantId} -c timezone=UTC`;
  prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: testDatabase.url, max: 1, options }) });
  await createRows();
  const neighbour = database.forTenant(otherTenantId);
  await neighbour.tenant.create({ data: { id: otherTenantId, name: 'Other', timeZone: 'UTC' } });
  await neighbour.patient.create({ data: { id: newId(), tenantId: otherTenantId } });
});
afterAll(async () => {
  await database?.close();
  await prisma?.$disconnect();
  await testDatabase?.drop();
});

const at = (text: string) => new Date(text);
const SPRING = at('2026-03-29T00:59:59.999Z');

async function createRows(): Promise<void> {
  await db.tenant.create({ data: { id: tenantId, name: "Maple's “Clinic”", timeZone: 'Europe/Paris', graceDays: 3 } });
  const metadata = { b: 1, a: [1.5, null, { deep: 'é\\"' }], '1': true };
  await db.patient.createMany({
    data: [
      {
        id: maple,
        tenantId,
        email: 'maple@example.test',
        birthDate: at('2024-02-29'),
        tagList: ['a,b', '"c"'],
        metadata,
      },
      { id: birch, tenantId, email: null, archivedAt: SPRING, status: 'archived', races: ['x\u001fy', '\\'] },
      {
        id: other,
        tenantId,
        email: 'other@example.test',
        birthDate: at('0099-12-31'),
        firstName: '',
        termsAcceptedAt: SPRING,
      },
    ],
  });
  const plan = { tenantId, accountId: 'acct_1', currency: 'usd', patientId: maple };
  await db.subscription.createMany({
    data: [
      { ...plan, id: 'sub_1', status: 'active', planPrice: 9_007_199_254_740_993n, ticket: -1n, trialProducts: ['p'] },
      { ...plan, id: 'sub_2', status: 'past_due', invoicedAt: SPRING, graceUntil: SPRING, latestInvoice: metadata },
    ],
  });
  const visit = { tenantId, appointmentTypeId: 1, appointmentType: 'Visit', calendarId: 2, calendar: 'Room' };
  const times = { startAt: SPRING, endAt: at('2026-03-29T01:30:00Z'), timeZone: 'Europe/Paris' };
  await db.appointment.createMany({
    data: [
      {
        ...visit,
        ...times,
        id: newId(),
        patientId: maple,
        videoToken: 'a',
        status: 'scheduled',
        staffNote: Buffer.from('0\u0000ÿ'),
      },
      {
        ...visit,
        ...times,
        id: newId(),
        patientId: birch,
        videoToken: 'b',
        status: 'canceled',
        providerAppointmentId: -7,
      },
    ],
  });
  await db.availabilityDay.createMany({
    data: [[], [1n, -2n, 9_007_199_254_740_993n]].map((startsAt, n) => ({
      ...{
        tenantId,
        appointmentTypeId: 1,
        calendarId: n,
        day: '2026-03-29',
        startsAt,
        fetchedAt: SPRING,
        staleAt: SPRING,
      },
    })),
  });
}

const modelOf = (client: object, name: ModelName) => (client as unknown as Record<ModelName, Reads>)[name];
const isRefused = (error: Error) => error.name === 'PrismaClientValidationError';

async function compare(name: ModelName, args: Row, { inTransaction = false } = {}): Promise<void> {
  const model = modelOf(db, name);
  const expected = await modelOf(prisma, name)
    .findMany(args)
    .catch((error: Error) => {
      if (!isRefused(error)) throw error;
      return null;
    });
  // What Prisma refuses never comes from this code, which is type-checked.
  if (expected === null) return;
  expect(await model.findMany(args), JSON.stringify(args, showBigInt)).toEqual(expected);
  if (inTransaction)
    await db.$transaction(async (tx) => expect(await modelOf(tx, name).findMany(args)).toEqual(expected));
}
const showBigInt = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

function filtersOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [null, { not: null }, { equals: null }];
  if (Array.isArray(value) || (typeof value === 'object' && !(value instanceof Date || value instanceof Uint8Array)))
    return [];
  const ordered = [{ gt: value }, { gte: value }, { lt: value }, { lte: value, gt: value }];
  const sets = [{ in: [value] }, { in: [] }, { notIn: [value] }, { notIn: [] }, { in: undefined }];
  return [value, undefined, { equals: value }, { not: value }, ...sets, ...ordered];
}

describe.each(MODELS)('the same rows as from Prisma: %s', (name) => {
  test('for each filter of each column, alone and combined', async () => {
    const rows = (await modelOf(prisma, name).findMany({ orderBy: orderOf(name) })) as Row[];
    expect(rows.length).toBeGreaterThan(0);
    const filters = rows.flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => filtersOf(value).map((filter) => ({ [column]: filter }))),
    );
    for (const [index, where] of filters.entries()) {
      const next = filters[(index + 1) % filters.length]!;
      const all = [
        where,
        { NOT: where },
        { OR: [where, next] },
        { AND: [where, { NOT: [next, where] }] },
        { OR: [where], AND: [] },
      ];
      // The short run takes each filter in one of its forms.
      const forms = process.env.PROVE ? all : [all[index % all.length]!];
      for (const [form, condition] of forms.entries())
        await compare(name, { where: condition, orderBy: orderOf(name) }, { inTransaction: (index + form) % 9 === 0 });
    }
  });

  test('for each column as order and selection, with limits', async () => {
    const [row] = (await modelOf(db, name).findMany({ orderBy: orderOf(name) })) as [Row];
    for (const [index, column] of Object.keys(row).entries()) {
      const direction = index % 2 ? 'desc' : 'asc';
      const isList = Array.isArray(row[column]);
      await compare(name, {
        orderBy: isList ? orderOf(name) : [{ [column]: direction }, ...orderOf(name)],
        take: 2,
        skip: index % 2,
      });
      await compare(name, { select: { [column]: true }, orderBy: orderOf(name), take: index % 3 });
    }
  });
});

test('leaves Prisma out of plain reads, also in transactions', async () => {
  const seen = vi.spyOn(pg.Client.prototype, 'query');
  const where = { tenantId, OR: [{ status: { in: ['active'] } }, { archivedAt: { not: null } }] };
  const read = async ({ patient }: Pick<Tx, 'patient'>) => {
    await patient.findMany({ where, select: { id: true }, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: 1 });
    await patient.findUnique({ where: { tenantId_id: { tenantId, id: maple } } });
    await patient.count({ where, take: 5 });
  };
  await read(db);
  await db.$transaction(read);
  const texts = seen.mock.calls.map(([statement]) => (statement as unknown as { text: string }).text);
  seen.mockRestore();
  expect(texts.filter((text) => /^select/.test(text)).length).toBeGreaterThanOrEqual(6);
  // Prisma writes its statements in upper case.
  expect(texts.filter((text) => /^SELECT/.test(text))).toEqual([]);
});

test('reads what is not known to it through Prisma', async () => {
  const phone = { id: newId(), tenantId, patientId: maple, number: '+12025550143' };
  await db.patientPhone.create({ data: phone });
  expect(
    await db.patient.findFirst({ where: { id: maple }, select: { phones: { select: { number: true } } } }),
  ).toEqual({
    phones: [{ number: phone.number }],
  });
  expect(await db.patient.count({ where: { phones: { some: {} } } })).toBe(1);
  expect(await db.patient.count({ where: { email: { contains: 'MAPLE', mode: 'insensitive' } } })).toBe(1);
  expect(await db.patient.count({ where: { tagList: { has: 'a,b' } } })).toBe(1);
  expect(await db.patient.count({ where: { metadata: { path: ['b'], equals: 1 } } })).toBe(1);
  expect(
    await db.subscription.findMany({ where: { latestInvoice: { equals: Prisma.AnyNull } }, select: { id: true } }),
  ).toEqual([{ id: 'sub_1' }]);
});

test('counts, also up to a limit, and finds one row or none', async () => {
  expect(await db.patient.count()).toBe(3);
  expect(await db.patient.count({ where: { birthDate: { not: null } }, take: 1 })).toBe(1);
  expect(await db.patient.findFirst({ where: { id: newId() } })).toBeNull();
  expect(
    await db.patient.findUnique({ where: { tenantId_id: { tenantId, id: birch } }, select: { id: true } }),
  ).toEqual({ id: birch });
  const where = { tenantId_id: { tenantId, id: newId() } };
  await db.$transaction(async (tx) => {
    expect(await tx.patient.findUnique({ where })).toBeNull();
    await expect(tx.patient.findUniqueOrThrow({ where })).rejects.toMatchObject({ code: 'P2025' });
  });
  await expect(db.patient.findFirstOrThrow({ where: { email: 'absent' } })).rejects.toMatchObject({ code: 'P2025' });
});

test('refuses a key without a value instead of finding any row', async () => {
  const where = { tenantId_id: { tenantId, id: undefined as unknown as string } };
  await expect(db.patient.findUnique({ where })).rejects.toThrow('a key has no value');
  await expect(db.$transaction((tx) => tx.patient.findUnique({ where }))).rejects.toThrow('is missing');
});

test('leaves to Prisma what PostgreSQL reads in another form', async () => {
  expect(await db.patient.count({ where: { createdAt: { lt: new Date(8.64e15) } } })).toBe(3);
  expect(await db.appointment.count({ where: { calendarId: 1.5 } })).toBe(0);
  await expect(db.patient.count({ where: { createdAt: new Date(Number.NaN) } })).rejects.toThrow('Invalid');
});

test('reads the same instants in any time zone of the database', async () => {
  const owner = new pg.Client(testDatabase.ownerUrl);
  await owner.connect();
  const name = new URL(testDatabase.url).pathname.slice(1);
  await owner.query(`alter database ${pg.escapeIdentifier(name)} set timezone = 'America/Sao_Paulo'`);
  const elsewhere = openDatabase({ url: testDatabase.url, poolSize: 1 });
  const { appointment } = elsewhere.forTenant(tenantId);
  try {
    expect(await appointment.findFirst({ select: { startAt: true } })).toEqual({ startAt: SPRING });
    const withPatient = { startAt: true, patient: { select: { tenantId: true } } };
    expect(await appointment.findFirst({ select: withPatient })).toEqual({ startAt: SPRING, patient: { tenantId } });
  } finally {
    await elsewhere.close();
    await owner.query(`alter database ${pg.escapeIdentifier(name)} reset timezone`);
    await owner.end();
  }
});

test.each(['none', 'transaction'] as const)(
  'runs nothing of an ended transaction on its connection (pooler: %s)',
  async (pooler) => {
    const narrow = openDatabase({ url: testDatabase.url, poolSize: 1, pooler });
    const [first, second] = [narrow.forTenant(tenantId), narrow.forTenant(otherTenantId)];
    const seen: unknown[] = [];
    try {
      const ends = first.$transaction(async (tx) => {
        const keepsReading = async () => {
          for (let n = 0; n < 20; n += 1) seen.push(...(await tx.patient.findMany({ select: { tenantId: true } })));
        };
        const fails = async () => {
          await tx.patient.findFirst();
          throw new Error('failed');
        };
        await Promise.all([fails(), ...Array.from({ length: 5 }, () => keepsReading().catch(() => undefined))]);
      });
      const other = second.$transaction(async (tx) => {
        const rows = [];
        for (let n = 0; n < 20; n += 1) rows.push(await tx.patient.count());
        return rows;
      });
      await expect(ends).rejects.toThrow('failed');
      expect(await other).toEqual(Array(20).fill(1));
      expect(new Set(seen.map((row) => JSON.stringify(row)))).toEqual(new Set([JSON.stringify({ tenantId })]));
    } finally {
      await narrow.close();
    }
  },
);

test('sees what its transaction has written, and nothing once that has ended', async () => {
  let late: Pick<Db, 'patient'> | null = null;
  const rolledBack = db.$transaction(async (tx) => {
    late = tx as Pick<Db, 'patient'>;
    await tx.patient.update({ where: { tenantId_id: { tenantId, id: maple } }, data: { lastName: 'Changed' } });
    expect(await tx.patient.findFirst({ where: { id: maple }, select: { lastName: true } })).toEqual({
      lastName: 'Changed',
    });
    const [state] = await query<{ last: string }>(
      tx,
      Prisma.sql`select last_name as last from patients where id = ${maple}::uuid`,
    );
    expect(state).toEqual({ last: 'Changed' });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await db.patient.findFirst({ where: { id: maple }, select: { lastName: true } })).toEqual({ lastName: null });
  await expect(late!.patient.findFirst({ where: { id: maple } })).rejects.toMatchObject({ code: 'P2028' });
});

test('shows the rows of one tenant only', async () => {
  const elsewhere = database.forTenant(newId());
  expect(await elsewhere.patient.findMany()).toEqual([]);
  expect(await elsewhere.patient.count({ where: { tenantId } })).toBe(0);
  await expect(database.system.patient.count()).rejects.toThrow();
});
