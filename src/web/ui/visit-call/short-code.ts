/** 32 short words that sound different from each other: five bits each. */
const WORDS = [
  ...['apple', 'bridge', 'candle', 'dolphin', 'eagle', 'forest', 'garden', 'hammer'],
  ...['island', 'jacket', 'kettle', 'lemon', 'mountain', 'needle', 'orange', 'pencil'],
  ...['quilt', 'river', 'sunday', 'tiger', 'umbrella', 'violin', 'window', 'yellow'],
  ...['zebra', 'bottle', 'cloud', 'drum', 'feather', 'guitar', 'honey', 'magnet'],
];
const BITS_OF_WORD = 5;
const WORDS_OF_CODE = 4;
const NONCE_BYTES = 32;

/**
 * The inputs of the code, known to both sides after the exchange; a fingerprint is `sha-256 AB:CD:…`, a nonce 64
 * hexadecimal digits.
 */
export type Transcript = { staff: string; patient: string; staffNonce: string; patientNonce: string };

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

export const newNonce = (): string => hexOf(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));

/** The commitment that is sent before its nonce: the nonce can be revealed later, but not changed. */
export const commitmentTo = async (nonce: string, fingerprints: string[]): Promise<string> =>
  hexOf(await sha256(['carelane visit commitment 1', nonce, ...fingerprints].join('\n')));

/** The canonical text that the code is a digest of. */
export const transcriptText = ({ staff, patient, staffNonce, patientNonce }: Transcript): string =>
  ['carelane visit code 1', staff, patient, staffNonce, patientNonce].join('\n');

/** The first 20 bits of a digest, as four words. */
export function wordsOf(digest: Uint8Array): string[] {
  const bits = [...digest.subarray(0, 3)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: WORDS_OF_CODE }, (_, word) => {
    const at = word * BITS_OF_WORD;
    return WORDS[Number.parseInt(bits.slice(at, at + BITS_OF_WORD), 2)]!;
  });
}

export const codeOf = async (transcript: Transcript): Promise<string[]> =>
  wordsOf(await sha256(transcriptText(transcript)));
