import { afterEach, beforeEach, expect, test } from 'vitest';
import { CANCEL_VISIT, type CareBench, withCare } from '../care.ts';
import { SANDBOX, withClinic } from '../clinic.ts';
import { findEndedCareViolations } from '../invariants/ended-care.ts';
import { connectTo } from '../invariants/tenant-walk.ts';

let care: CareBench;
beforeEach(async () => {
  care = await withCare(await withClinic(SANDBOX));
});
afterEach(() => care?.stop());

/** Ends care while Acuity is down. @returns the faults during the outage and after recovery */
async function endThroughTrouble(): Promise<[string[], string[]]> {
  const id = await care.patient();
  await Promise.all([care.book(id), care.subscribe(id)]);
  care.acuityFault('503', CANCEL_VISIT, 9);
  await care.endCare(id);
  await care.run(id);
  const during = await findEndedCareViolations(care, [id]);
  care.heal();
  await care.settle(id);
  return [during, await findEndedCareViolations(care, [id])];
}

test('intact: an archived patient has nothing live anywhere', async () => {
  const [during, after] = await endThroughTrouble();
  expect(during).toEqual([expect.stringContaining('left in between')]);
  expect(after).toEqual([]);
});

test('detects a patient who is archived before the providers have confirmed', async () => {
  const owner = await connectTo(care.clinic.database.ownerUrl);
  await owner.query(`create function hurry() returns trigger language plpgsql as $$
    begin if new.care_ending_at is not null then new.status := 'archived'; end if; return new; end $$`);
  await owner.query('create trigger planted before update on patients for each row execute function hurry()');
  await owner.end();
  const [during] = await endThroughTrouble();
  expect(during.join()).toContain('archived with 1 appointments of ours');
  expect(during.join()).toContain('at its provider');
});
