import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { plainPng, pngChunk, pngHead, SIGNATURE } from '#dev/testing/png.ts';
import { type Png, readPng } from './png.ts';

const NOTHING = Buffer.alloc(0);
const END = pngChunk('IEND', NOTHING);
const file = (...chunks: Buffer[]) => Buffer.concat([SIGNATURE, ...chunks]);
/** 32 by 32 pixels of one byte each. */
const grey = (bytes = 32 * 33, { interlace = 0 } = {}) =>
  file(pngHead(32, 32, { colourType: 0, interlace }), pngChunk('IDAT', deflateSync(Buffer.alloc(bytes))), END);
const chunksOf = (png: Buffer): Buffer[] => {
  const chunks: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    chunks.push(png.subarray(at, end));
    at = end;
  }
  return chunks;
};

test('a valid picture is accepted unchanged', () => {
  const png = plainPng(64, 32);
  expect(readPng(png)).toEqual({ bytes: png, width: 64, height: 32 });
  expect(readPng(grey())).toMatchObject({ width: 32, height: 32 });
});

test('an interlaced picture has the pixels of its seven passes', () => {
  // Columns and rows of each pass of 32 by 32, and one byte per line.
  const bytes = [4 * 5, 4 * 5, 4 * 9, 8 * 9, 8 * 17, 16 * 17, 16 * 33].reduce((sum, pass) => sum + pass);
  expect(readPng(grey(bytes, { interlace: 1 }))).toMatchObject({ width: 32 });
  expect(readPng(grey(bytes + 1, { interlace: 1 }))).toMatch(/damaged/);
});

test('metadata of a file is removed', () => {
  const [head, pixels, end] = chunksOf(plainPng(32, 32)) as [Buffer, Buffer, Buffer];
  const metadata = ['tEXt', 'eXIf', 'iTXt', 'tIME', 'iCCP'].map((type) => pngChunk(type, Buffer.from('Ada, at home')));
  const read = readPng(file(head, ...metadata, pixels, end)) as Png;
  expect(read.bytes).toEqual(plainPng(32, 32));
});

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const [head, pixels, end] = chunksOf(plainPng(32, 32)) as [Buffer, Buffer, Buffer];
const bad = Buffer.from(pixels);
bad[bad.length - 1]! ^= 1;

const INVALID_FILES: [what: string, file: Buffer, sentence: RegExp][] = [
  ['an empty file', NOTHING, /not a PNG/],
  ['an SVG', svg, /not a PNG/],
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), /not a PNG/],
  ['a GIF', Buffer.from('GIF89a'), /not a PNG/],
  ['a signature damaged in transfer', Buffer.concat([Buffer.from('89504e470a0a1a0a', 'hex'), head]), /not a PNG/],
  ['a signature alone', SIGNATURE, /damaged/],
  ['an SVG after the signature', Buffer.concat([SIGNATURE, svg]), /damaged/],
  ['an SVG after the picture', Buffer.concat([plainPng(32, 32), svg]), /damaged/],
  ['another picture after the picture', Buffer.concat([plainPng(32, 32), plainPng(32, 32)]), /damaged/],
  ['a truncated file', plainPng(32, 32).subarray(0, -1), /damaged/],
  ['a file without an end chunk', file(head, pixels), /damaged/],
  ['a file without pixel data', file(head, end), /damaged/],
  ['a file without a header', file(pixels, end), /damaged/],
  ['two headers', file(head, head, pixels, end), /damaged/],
  ['a wrong checksum', file(head, bad, end), /damaged/],
  ['an end chunk with data', file(head, pixels, pngChunk('IEND', svg)), /damaged/],
  ['pixel data in two places', file(head, pixels, pngChunk('tIME', Buffer.alloc(7)), pixels, end), /damaged/],
  ['an unknown critical chunk', file(head, pngChunk('SVGs', svg), pixels, end), /damaged/],
  ['too few pixels', grey(32 * 33 - 1), /damaged/],
  ['too many pixels', grey(32 * 33 + 1), /damaged/],
  ['pixel data that decompresses to a hundred megabytes', grey(100_000_000), /damaged/],
  ['invalid pixel data', file(head, pngChunk('IDAT', svg), end), /damaged/],
  ['a bit depth that its colour type does not allow', file(pngHead(32, 32, { depth: 4 }), pixels, end), /damaged/],
  ['an unknown colour type', file(pngHead(32, 32, { colourType: 5 }), pixels, end), /damaged/],
  ['a missing palette', file(pngHead(32, 32, { colourType: 3 }), pixels, end), /damaged/],
  ['an animated picture', file(head, pngChunk('acTL', Buffer.alloc(8)), pixels, end), /moves/],
  ['a picture that is too small', plainPng(15, 32), /16 to 2000 pixels/],
  ['a picture that is too wide', plainPng(2001, 300), /16 to 2000 pixels/],
  ['a picture that claims an immense size', file(pngHead(2 ** 31, 2 ** 31), pixels, end), /16 to 2000 pixels/],
  ['a picture that is too elongated', plainPng(16 * 8 + 1, 16), /8 times as long/],
];
test.each(INVALID_FILES)('rejects %s', (_, bytes, sentence) => {
  expect(readPng(bytes)).toMatch(sentence);
});
