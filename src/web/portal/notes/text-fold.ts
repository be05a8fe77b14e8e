/** A longer text is folded. */
const MAX_LINES = 12;
const MAX_CHARACTERS = 900;
/** What is shown of a folded text: less, so that more than a few words are hidden. */
const SHOWN_LINES = 9;
const SHOWN_CHARACTERS = 700;

/** Returns the position where a long text is folded, at the end of a line or a word; null for one that is shown whole. */
export function foldOf(text: string): number | null {
  const lines = text.split('\n');
  if (lines.length <= MAX_LINES && text.length <= MAX_CHARACTERS) return null;
  const endOfLines = lines.slice(0, SHOWN_LINES).join('\n').length;
  if (endOfLines <= SHOWN_CHARACTERS) return endOfLines;
  const end = text.slice(0, SHOWN_CHARACTERS).search(/\s\S*$/);
  if (end > SHOWN_CHARACTERS / 2) return end;
  // A very long word; a character of two units stays whole.
  return /[\ud800-\udbff]/.test(text.charAt(SHOWN_CHARACTERS - 1)) ? SHOWN_CHARACTERS - 1 : SHOWN_CHARACTERS;
}
