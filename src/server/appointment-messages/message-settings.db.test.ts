import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { makeTenant } from '#dev/testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { testServices } from '#dev/testing/services.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { readMessageSettings } from './message-settings.ts';

let database: TestDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await createTestDatabase();
  const services = testServices(database);
  ctx = systemContext(services, (await makeTenant(services)).id, 'test');
});
afterAll(async () => {
  await ctx?.close();
  await database?.drop();
});

const NONE = { ...DEFAULT_SETTINGS, sends: { confirmation: false, move: false, cancellation: false, reminder: false } };
const sets: [string, object][] = [
  ['a later version has stored another setting', { ...NONE, languages: ['de'] }],
  ['its stored texts have become invalid', { ...NONE, words: { move: { subject: '{gone}', body: '', text: '' } } }],
];
test.each(sets)('a tenant that sends nothing sends nothing after %s', async (_, settings) => {
  const { tenantId } = ctx;
  const kept = { settings, updatedAt: new Date() };
  await ctx.db.messageSettings.upsert({ where: { tenantId }, create: { tenantId, ...kept }, update: kept });
  expect((await readMessageSettings(ctx.db, tenantId)).settings).toEqual(NONE);
});
