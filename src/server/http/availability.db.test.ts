import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { formatMissingDays } from './respond.ts';

let clinic: Sandbox;
let token: string;
let type: number;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  token = await clinic.token(await clinic.application(clinic.ctx));
  [type] = (await read('/appointment_types')).body.map(({ id }: { id: number }) => id);
});
afterAll(() => clinic.stop());

const read = (path: string) => clinic.rest.call({ method: 'GET', path, token });
const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const get = (more = '') =>
  read(`/availability?appointment_type_id=${type}&from_date=${day(3)}&to_date=${day(4)}${more}`);
const fail = (times: number) =>
  fetch(`${clinic.acuity.url.replace('/api/v1', '')}/_emulator/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: '503', match: { method: 'GET', path: '/api/v1/availability/times' }, times }),
  });

describe('GET /availability', () => {
  test('reports its age and that it is complete', async () => {
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(Number(headers.age)).toBeLessThan(30);
    expect(headers['availability-complete']).toBe('true');
    expect(headers['availability-missing']).toBeUndefined();
  });

  test('reports the missing days with partial=true, so that an empty list does not mean "no slots"', async () => {
    await clinic.ctx.db.availabilityDay.deleteMany({});
    await fail(1000);
    const { status, headers, body } = await get('&partial=true');
    expect([status, body]).toEqual([200, []]);
    expect(headers['availability-complete']).toBe('false');
    expect(headers['availability-missing']).toMatch(new RegExp(`^\\d+/${day(3)}\\.\\.${day(4)}(, |$)`));
    const rejected = await get();
    expect(rejected.status).toBe(503);
    expect(rejected.body.errors[0].code).toBe('provider_unavailable');
    expect(rejected.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  test.each([
    ['from_date=2026-11-23&to_date=2026-12-23', 'range_too_long', 'to_date'],
    [`from_date=${day(5)}&to_date=${day(3)}`, 'invalid_parameter', 'to_date'],
    ['from_date=yesterday', 'invalid_parameter', 'from_date'],
    ['from_date=2026-02-30', 'invalid_parameter', 'from_date'],
    [`from_date=${day(3)}&partial=perhaps`, 'invalid_parameter', 'partial'],
    [`from_date=${day(3)}&calendar_id=-1`, 'invalid_parameter', 'calendar_id'],
  ])('rejects %s', async (query, code, parameter) => {
    const { status, body } = await read(`/availability?appointment_type_id=${type}&${query}`);
    expect(status).toBe(422);
    expect(body.errors[0]).toMatchObject({ code, source: { parameter } });
  });

  test.each([
    ['/availability/next?appointment_type_id=TYPE&count=0', 'count'],
    ['/availability/next?appointment_type_id=TYPE&count=51', 'count'],
    ['/availability/next?appointment_type_id=none', 'appointment_type_id'],
    ['/availability/explain?appointment_type_id=TYPE&from_date=2026-11-23', 'from_date'],
    ['/availability/explain?appointment_type_id=TYPE&from_date=soon', 'from_date'],
  ])('rejects %s', async (path, parameter) => {
    const { status, body } = await read(path.replace('TYPE', String(type)));
    expect([status, body.errors[0].source]).toEqual([422, { parameter }]);
  });

  test('does not find another clinic’s appointment type', async () => {
    const other = await clinic.token(await clinic.application(clinic.otherCtx));
    const { status, body } = await clinic.rest.call({
      method: 'GET',
      path: `/availability?appointment_type_id=${type}&from_date=${day(3)}`,
      token: other,
    });
    expect([status, body.errors[0].code]).toEqual([422, 'integration_not_connected']);
  });
});

test('formatMissingDays formats consecutive days as a range and limits the length of the header', () => {
  const days = ['2026-11-25', '2026-11-23', '2026-11-24', '2026-11-27'].map((one) => ({ calendar_id: 7, day: one }));
  expect(formatMissingDays([...days, { calendar_id: 3, day: '2026-11-23' }])).toBe(
    '3/2026-11-23, 7/2026-11-23..2026-11-25, 7/2026-11-27',
  );
  const many = Array.from({ length: 5000 }, (_, n) => ({ calendar_id: n, day: '2026-11-23' }));
  expect(formatMissingDays(many).length).toBeLessThan(6100);
  expect(formatMissingDays(many)).toMatch(/, \.\.\.$/);
});
