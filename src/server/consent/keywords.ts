export type Keyword = 'stop' | 'start' | 'help';

/** What Twilio itself obeys and answers, in any case, as the only word of a message. */
const WORDS: Record<Keyword, readonly string[]> = {
  stop: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout'],
  start: ['start', 'yes', 'unstop'],
  help: ['help', 'info'],
};
/** What a person means as well who writes more than one word; Twilio passes it on and does nothing. */
const MEANT =
  /^(?:please )?(?:stop|unsubscribe|opt out)(?: (?:it|this|these|all|me|my|now|please|texting|messaging|sending|texts|messages|reminders|everything|thanks|thank you))*$|(?<!\b(?:not|never|don t|dont) )\bstop (?:texting|messaging|sending)\b/;

/**
 * What a text asks for. `ofTwilio`: Twilio knows the word, has blocked or unblocked its sender and answered; the rest is
 * for us to obey and to answer. Null for what asks for nothing.
 */
export function keywordOf(body: string): { keyword: Keyword; ofTwilio: boolean } | null {
  const bare = body.trim().toLowerCase();
  for (const keyword of ['stop', 'start', 'help'] as const)
    if (WORDS[keyword].includes(bare)) return { keyword, ofTwilio: true };
  const words = bare.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  for (const keyword of ['stop', 'start', 'help'] as const)
    if (WORDS[keyword].includes(words)) return { keyword, ofTwilio: false };
  return MEANT.test(words) ? { keyword: 'stop', ofTwilio: false } : null;
}
