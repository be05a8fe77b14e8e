import { DEFAULT_SETTINGS, MessageSettings, type MessageSettingsView } from '#contract/message-settings.ts';
import { DEFAULT_LANGUAGE } from '#contract/message-templates.ts';
import type { Tx } from '#server/core/db.ts';

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
  const known = MessageSettings.safeParse(all);
  return {
    settings: known.success
      ? known.data
      : MessageSettings.parse({ ...all, words: {}, small: {}, translations: [], language: DEFAULT_LANGUAGE }),
    version: row.version,
  };
}
