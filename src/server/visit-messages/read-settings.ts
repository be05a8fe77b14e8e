import { DEFAULT_SETTINGS, MessageSettings, type MessageSettingsView } from '#contract/message-settings.ts';
import { OWN_LANGUAGE } from '#contract/message-words.ts';
import type { Tx } from '#server/core/db.ts';

/** What the clinic sends of visits, or what is proposed while it has said nothing. */
export async function readSettings(tx: Pick<Tx, 'messageSettings'>, tenantId: string): Promise<MessageSettingsView> {
  const row = await tx.messageSettings.findFirst({ where: { tenantId } });
  if (!row) return { settings: DEFAULT_SETTINGS, version: 0 };
  // What was kept before a setting came to be has the proposal in its place; what a later version keeps beside is none of ours.
  const kept = row.settings as Partial<MessageSettings>;
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof MessageSettings)[];
  const all = {
    ...DEFAULT_SETTINGS,
    ...Object.fromEntries(names.flatMap((name) => (name in kept ? [[name, kept[name]]] : []))),
  };
  // Words that were right once may not be so by today's rules: those proposed stand in, and what the clinic chose still holds.
  const known = MessageSettings.safeParse(all);
  return {
    settings: known.success
      ? known.data
      : MessageSettings.parse({ ...all, words: {}, small: {}, translations: [], language: OWN_LANGUAGE }),
    version: row.version,
  };
}
