export type Piece = { text: string; isFound: boolean };

/** Folds case, accents and width as the server's search does. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/** Cuts a text into what contains words of a search and what does not. */
export function piecesOf(text: string, search: string): Piece[] {
  const words = fold(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return text ? [{ text, isFound: false }] : [];
  const found = rangesOf(text, words);
  const pieces: Piece[] = [];
  let end = 0;
  for (const [from, to] of found) {
    if (from > end) pieces.push({ text: text.slice(end, from), isFound: false });
    pieces.push({ text: text.slice(from, to), isFound: true });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isFound: false });
  return pieces;
}

type Range = [from: number, to: number];

/** Where the words are, in order; ranges that touch become one. */
function rangesOf(text: string, words: string[]): Range[] {
  // A character may become several by folding, or none.
  const origins: Range[] = [];
  let folded = '';
  let position = 0;
  for (const character of text) {
    const next = position + character.length;
    const plain = fold(character);
    folded += plain;
    const last = origins.at(-1);
    if (plain === '' && last) last[1] = next;
    for (let unit = 0; unit < plain.length; unit += 1) origins.push([position, next]);
    position = next;
  }
  const ranges: Range[] = words.flatMap((word) => {
    const own: Range[] = [];
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      own.push([origins[at]![0], origins[at + word.length - 1]![1]]);
    return own;
  });
  const merged: Range[] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
