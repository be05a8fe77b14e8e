/** Returns the `index`-th number of the seed's sequence, 0 to 1 (splitmix32). */
export function draw(seed: number, index: number): number {
  let bits = (seed + Math.imul(index + 1, 0x9e3779b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
