import { crc32, inflateSync } from 'node:zlib';

export type Png = { bytes: Buffer; width: number; height: number };
type Chunk = { type: string; data: Buffer; encoded: Buffer };

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const [LENGTH_BYTES, TYPE_BYTES, CRC_BYTES] = [4, 4, 4];
const HEADER_BYTES = 13;
const SMALLEST = 16;
const LARGEST = 2000;
/** Wider ones would be unreadable in a page's header. */
const MAX_ASPECT_RATIO = 8;
/** Samples per pixel, and the allowed depths of each colour type (PNG, third edition, §11.2.1). */
const COLOUR_TYPES: Record<number, { samples: number; depths: number[] }> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
const PALETTE = 3;
/** First column and row of each pass of an interlaced picture, and its steps (§8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
/** The chunks that are stored. Metadata such as times, places and names is removed. */
const STORED_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);

export const NO_PNG = 'This is not a PNG picture. Save your logo as PNG, and try again.';
const BROKEN = 'This picture is damaged. Save your logo as PNG once more, and try again.';
const ANIMATED = 'This picture moves. Choose one that stands still.';
const WRONG_SIZE = `Choose a picture of ${SMALLEST} to ${LARGEST} pixels each way.`;
const TOO_LONG = `Choose a picture that is at most ${MAX_ASPECT_RATIO} times as long on one side as on the other.`;

/**
 * Validates a PNG file to its last byte: signature, order and checksums of its chunks, and its number of pixels, so
 * that browsers get nothing else under that content type. The result has only the chunks that the picture needs.
 * @returns the picture, or a sentence for the user that says why it is invalid
 */
export function readPng(file: Buffer): Png | string {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return NO_PNG;
  const chunks = readChunks(file);
  if (!chunks) return BROKEN;
  if (chunks.some(({ type }) => type === 'acTL' || type === 'fcTL' || type === 'fdAT')) return ANIMATED;
  const [{ type: firstType, data: head }] = chunks;
  if (firstType !== 'IHDR' || head.length !== HEADER_BYTES) return BROKEN;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  if (Math.min(width, height) < SMALLEST || Math.max(width, height) > LARGEST) return WRONG_SIZE;
  if (Math.max(width, height) > MAX_ASPECT_RATIO * Math.min(width, height)) return TOO_LONG;
  if (!isInOrder(chunks) || !hasExpectedPixels(head, chunks)) return BROKEN;
  const storedChunks = chunks.filter(({ type }) => STORED_CHUNKS.has(type)).map(({ encoded }) => encoded);
  return { bytes: Buffer.concat([SIGNATURE, ...storedChunks]), width, height };
}

/** Returns all chunks up to the file's last byte, or null when a length or checksum is wrong. */
function readChunks(file: Buffer): [Chunk, ...Chunk[]] | null {
  const chunks: Chunk[] = [];
  let at = SIGNATURE.length;
  while (at < file.length) {
    if (at + LENGTH_BYTES + TYPE_BYTES + CRC_BYTES > file.length) return null;
    const length = file.readUInt32BE(at);
    const end = at + LENGTH_BYTES + TYPE_BYTES + length;
    if (end + CRC_BYTES > file.length) return null;
    const checkedBytes = file.subarray(at + LENGTH_BYTES, end);
    if (crc32(checkedBytes) !== file.readUInt32BE(end)) return null;
    const type = checkedBytes.toString('latin1', 0, TYPE_BYTES);
    if (!/^[A-Za-z]{4}$/.test(type)) return null;
    chunks.push({ type, data: checkedBytes.subarray(TYPE_BYTES), encoded: file.subarray(at, end + CRC_BYTES) });
    at = end + CRC_BYTES;
  }
  const [first, ...others] = chunks;
  return first ? [first, ...others] : null;
}

/** One header, one end, consecutive pixel data in between, and no unknown critical chunk (§5.6). */
function isInOrder(chunks: Chunk[]): boolean {
  const types = chunks.map(({ type }) => type);
  const [first, last] = [types.indexOf('IDAT'), types.lastIndexOf('IDAT')];
  const count = (type: string) => types.filter((one) => one === type).length;
  const palette = types.indexOf('PLTE');
  return (
    types.at(-1) === 'IEND' &&
    chunks.at(-1)?.data.length === 0 &&
    [count('IHDR'), count('IEND')].every((times) => times === 1) &&
    count('PLTE') <= 1 &&
    first > 0 &&
    types.slice(first, last + 1).every((type) => type === 'IDAT') &&
    palette < first &&
    types.every((type) => STORED_CHUNKS.has(type) || /^[a-z]/.test(type))
  );
}

function hasExpectedPixels(head: Buffer, chunks: Chunk[]): boolean {
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = head.subarray(8);
  const kind = COLOUR_TYPES[colourType];
  if (!kind?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return false;
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data.length ?? 0;
  if (palette % 3 !== 0 || palette > 3 * 2 ** 8 || (colourType === PALETTE && palette === 0)) return false;
  const bytes = bytesOfPixels(head.readUInt32BE(0), head.readUInt32BE(4), depth * kind.samples, interlace === 1);
  try {
    const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
    // One byte above the expected size is enough to detect an oversized stream: protects against decompression bombs.
    return inflateSync(data, { maxOutputLength: bytes + 1 }).length === bytes;
  } catch {
    return false;
  }
}

/** Each line is preceded by a byte that names its filter. */
function bytesOfPixels(width: number, height: number, bitsOfPixel: number, isInterlaced: boolean): number {
  const passes = isInterlaced ? PASSES : [[0, 0, 1, 1] as const];
  return passes.reduce((sum, [left, top, across, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)];
    return columns <= 0 || rows <= 0 ? sum : sum + rows * (1 + Math.ceil((columns * bitsOfPixel) / 8));
  }, 0);
}
