import { expect, test } from 'vitest';
import { piecesOf } from './found-words.ts';

/** The text with what was found in brackets. */
const marked = (text: string, search: string) =>
  piecesOf(text, search)
    .map((piece) => (piece.isFound ? `[${piece.text}]` : piece.text))
    .join('');

test.each([
  ['Knee hurts', 'knee', '[Knee] hurts'],
  ['José and JOSE', 'jose', '[José] and [JOSE]'],
  ['Jose\u0301 came', 'josé', '[Jose\u0301] came'],
  ['ﬁne', 'fi', '[ﬁ]ne'],
  ['5 mg, 10 mg', 'mg 5', '[5] [mg], 10 [mg]'],
  ['banana', 'ban nan', '[banan]a'],
  ['😀 ok 😀', '😀', '[😀] ok [😀]'],
  ['a.c abc', 'a.c', '[a.c] abc'],
  ['<b>x</b>', 'b', '<[b]>x</[b]>'],
  ['Nothing', 'else', 'Nothing'],
  ['Nothing', '  ', 'Nothing'],
  ['', 'word', ''],
])('in %j the search %j finds %j', (text, search, result) => {
  expect(marked(text, search)).toBe(result);
});

test('no character is lost', () => {
  const text = 'Ǆ ß İ ﬃ ① e\u0301\u0302 \u0301x';
  for (const search of ['d', 's', 'i', 'ffi', '1', 'e', 'x'])
    expect(piecesOf(text, search).map((piece) => piece.text)).toSatisfy((pieces: string[]) => pieces.join('') === text);
});
