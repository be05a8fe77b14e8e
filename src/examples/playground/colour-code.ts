export type Shade = 'comment' | 'text' | 'word' | 'plain';

const KEYWORDS =
  'as async await break catch class const constructor else export extends find for from function if import in instanceof let new null of override readonly return static super this throw try type typeof';
const PARTS = new RegExp(
  [
    String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)`,
    String.raw`(?<text>'(?:[^'\\\n]|\\.)*'|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`(?<word>\b(?:${KEYWORDS.split(' ').join('|')})\b)`,
  ].join('|'),
  'g',
);

/** Splits TypeScript into pieces with one colour each: comments, texts, keywords and the rest. */
export function colourCode(code: string): { at: number; shade: Shade; piece: string }[] {
  const pieces: { at: number; shade: Shade; piece: string }[] = [];
  let end = 0;
  const add = (shade: Shade, piece: string) => {
    if (piece) pieces.push({ at: end, shade, piece });
    end += piece.length;
  };
  for (const { groups, index, 0: piece } of code.matchAll(PARTS)) {
    add('plain', code.slice(end, index));
    add((Object.entries(groups ?? {}).find(([, match]) => match)?.[0] ?? 'plain') as Shade, piece);
  }
  add('plain', code.slice(end));
  return pieces;
}
