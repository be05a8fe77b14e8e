import {
  DEFAULT_SETTINGS,
  MessageSettings,
  type MessageSettingsView,
  type UpdateMessageSettingsInput,
} from '#contract/message-settings.ts';
import { DEFAULT_LANGUAGE } from '#contract/message-templates.ts';
import { requireAdmin, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma, Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';

/** Returns the tenant's message settings, or the defaults while it has none. */
export async function readMessageSettings(
  tx: Pick<Tx, 'messageSettings'>,
  tenantId: string,
): Promise<MessageSettingsView> {
  const row = await tx.messageSettings.findFirst({ where: { tenantId } });
  if (!row) return { settings: DEFAULT_SETTINGS, version: 0 };
  // Settings added since the row was stored have their defaults; unknown ones of a later version are ignored.
  const stored = row.settings as Partial<MessageSettings>;
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof MessageSettings)[];
  const all = {
    ...DEFAULT_SETTINGS,
    ...Object.fromEntries(names.flatMap((name) => (name in stored ? [[name, stored[name]]] : []))),
  };
  // Texts that were valid once may break today's rules: the default texts replace them, and the tenant's choices still
  // apply.
  const parsed = MessageSettings.safeParse(all);
  return {
    settings: parsed.success
      ? parsed.data
      : MessageSettings.parse({ ...all, words: {}, small: {}, translations: [], language: DEFAULT_LANGUAGE }),
    version: row.version,
  };
}

/** Returns the message settings. Staff users only. */
export async function getMessageSettings(ctx: Context): Promise<MessageSettingsView> {
  requireStaff(ctx.actor, 'settings:manage');
  return readMessageSettings(ctx.db, ctx.tenantId);
}

/**
 * Replaces the message settings and queues new plans for all appointments. Admins only.
 *
 * @throws 409 `conflict` when the settings have changed since they were read.
 */
export async function updateMessageSettings(
  ctx: Context,
  { settings, version }: UpdateMessageSettingsInput,
): Promise<MessageSettingsView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`message_settings:${tenantId}`}, 0))`;
    const before = await readMessageSettings(tx, tenantId);
    if (before.version !== version)
      throw apiError('conflict', 'These settings have changed since you opened this page.');
    const fields = (Object.keys(settings) as (keyof MessageSettings)[]).filter(
      (name) => JSON.stringify(settings[name]) !== JSON.stringify(before.settings[name]),
    );
    if (fields.length === 0) return before;
    const data = { settings: settings as Prisma.InputJsonObject, version: version + 1, updatedAt: ctx.clock.now() };
    await tx.messageSettings.upsert({ where: { tenantId }, create: { tenantId, ...data }, update: data });
    await record(tx, ctx, {
      action: 'message_settings.update',
      object: { type: 'Tenant', id: tenantId },
      details: { fields },
    });
    await enqueue(tx, 'plan_all_visit_messages', { tenantId }, { key: `plan_all_visit_messages:${tenantId}` });
    return { settings, version: data.version };
  });
}
