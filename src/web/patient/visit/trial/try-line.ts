import { MOST_OF_A_PIECE } from '#contract/line-piece.ts';
import type { LineQuality } from '#contract/visit-call.ts';
import { readApiFaults } from '../../../ui/api-faults.ts';
import { askLink } from '../../../ui/links/ask-link.ts';
import { qualityOf, type Timed } from './quality-of.ts';

const PIECES = 3;
/** The time limit for all pieces; a slower connection is unsuitable for a call. */
const WITHIN_MS = 20_000;

/** Random characters, which no proxy can compress. */
function randomText(letters: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil((letters * 3) / 4)));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).slice(0, letters);
}

/** Measures the connection to our service by sending data there and back. Null when the rate limit was exceeded. */
export async function tryLine(token: string): Promise<LineQuality | null> {
  const timed: Timed = { short: [], long: [], letters: MOST_OF_A_PIECE };
  const time = async (piece: string) => {
    const began = performance.now();
    await askLink('visits.tryLine', token, { piece });
    return performance.now() - began;
  };
  const all = async () => {
    // The first request opens the connection, and is not measured.
    await time('');
    for (let n = 0; n < PIECES; n++) timed.short.push(await time(''));
    for (let n = 0; n < PIECES; n++) timed.long.push(await time(randomText(MOST_OF_A_PIECE)));
  };
  const late = new Promise<void>((resolve) => setTimeout(resolve, WITHIN_MS));
  try {
    await Promise.race([all(), late]);
  } catch (error) {
    return readApiFaults(error)[0].code === 'rate_limited' ? null : 'broken';
  }
  return qualityOf(timed);
}
