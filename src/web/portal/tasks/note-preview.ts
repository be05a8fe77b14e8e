const MAX_CHARACTERS = 140;

/** The beginning of a note in one line, for a list; null for a note that is shown whole. */
export function notePreview(note: string): string | null {
  const line = note.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_CHARACTERS) return line === note ? null : line;
  const cut = line.slice(0, MAX_CHARACTERS);
  // At a word, unless that is very long.
  const end = cut.lastIndexOf(' ');
  return `${end > MAX_CHARACTERS / 2 ? cut.slice(0, end) : cut}…`;
}
