import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { readMessageSettings } from './message-settings.ts';

let clinic: Clinic;
let ctx: Context;
beforeAll(async () => {
  clinic = await withClinic();
  const { services } = clinic;
  ctx = systemContext(services, (await makeTenant(services)).id, 'test');
});
afterAll(() => clinic?.stop());

const NONE = { ...DEFAULT_SETTINGS, sends: { confirmation: false, move: false, cancellation: false, reminder: false } };
const sets: [string, object][] = [
  ['a later version has stored another setting', { ...NONE, languages: ['de'] }],
  ['its stored texts have become invalid', { ...NONE, words: { move: { subject: '{gone}', body: '', text: '' } } }],
];
test.each(sets)('a tenant that sends nothing sends nothing after %s', async (_, settings) => {
  const { tenantId } = ctx;
  const stored = { settings, updatedAt: new Date() };
  await ctx.db.messageSettings.upsert({ where: { tenantId }, create: { tenantId, ...stored }, update: stored });
  expect((await readMessageSettings(ctx.db, tenantId)).settings).toEqual(NONE);
});
