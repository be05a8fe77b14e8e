export type Keyword = 'stop' | 'start' | 'help';

/** Keywords that Twilio handles and responds to itself, in any case, as the only word of a text. */
const KEYWORDS: Record<Keyword, readonly string[]> = {
  stop: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout'],
  start: ['start', 'yes', 'unstop'],
  help: ['help', 'info'],
};
/** Longer texts with the same meaning; Twilio passes them on without an effect. */
const STOP_PHRASES =
  /^(?:please )?(?:stop|unsubscribe|opt out)(?: (?:it|this|these|all|me|my|now|please|texting|messaging|sending|texts|messages|reminders|everything|thanks|thank you))*$|(?<!\b(?:not|never|don t|dont) )\bstop (?:texting|messaging|sending)\b/;

/**
 * Returns the keyword of a text. `ofTwilio`: Twilio has already blocked or unblocked the number and responded;
 * otherwise this service has to. Null if there is none.
 */
export function keywordOf(body: string): { keyword: Keyword; ofTwilio: boolean } | null {
  const trimmed = body.trim().toLowerCase();
  for (const keyword of ['stop', 'start', 'help'] as const)
    if (KEYWORDS[keyword].includes(trimmed)) return { keyword, ofTwilio: true };
  const text = trimmed.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  for (const keyword of ['stop', 'start', 'help'] as const)
    if (KEYWORDS[keyword].includes(text)) return { keyword, ofTwilio: false };
  return STOP_PHRASES.test(text) ? { keyword: 'stop', ofTwilio: false } : null;
}
