import { crc32, deflateSync } from 'node:zlib';

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const summed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(summed));
  return Buffer.concat([length, summed, sum]);
}

export function pngHead(width: number, height: number, { depth = 8, colourType = 2, interlace = 0 } = {}): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colourType, 0, 0, interlace]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return pngChunk('IHDR', head);
}

/** Creates an image of one colour, three bytes per pixel. */
export function plainPng(width: number, height: number, [red, green, blue] = [11, 107, 102]): Buffer {
  const line = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from([red!, green!, blue!]))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  return Buffer.concat([
    SIGNATURE,
    pngHead(width, height),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
