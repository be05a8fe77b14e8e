import type { CallSide, CallSignal } from '#contract/visit-call.ts';

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
type Transcript = { staff: string; patient: string; staffNonce: string; patientNonce: string };

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

const codeOf = async (transcript: Transcript): Promise<string[]> => wordsOf(await sha256(transcriptText(transcript)));

/** The signals of the verification. */
export type CodeSignal = Extract<CallSignal, { kind: 'commit' | 'nonce' | 'reveal' }>;

/** `failed`: an attacker is in between, or a signal was changed; there is no code any more. */
export type CodeState = { at: 'coming' } | { at: 'shown'; words: string[] } | { at: 'failed' };

/** The fingerprints of the negotiated certificates: this side's, and the one that the other side presented. */
export type Certificates = { own: string; other: string };

/**
 * Agrees on the short code of a connection, as in RFC 6189 §4.4.1.1: staff sends a hash of its nonce and certificate,
 * the patient sends a nonce, then staff reveals the hashed values. Each side sends only when connected, so an attacker
 * in between is bound to both certificates and its own nonces before it knows a code: one chance in 2²⁰, however many
 * certificates it has precomputed.
 */
export function createVerification(
  side: CallSide,
  { send, onState }: { send: (signal: CodeSignal) => void; onState: (state: CodeState) => void },
) {
  const nonce = newNonce();
  const told: { [Kind in CodeSignal['kind']]?: Extract<CodeSignal, { kind: Kind }> } = {};
  const said = new Set<CodeSignal['kind']>();
  let lastSaid: CodeSignal | null = null;
  let certificates: Certificates | null = null;
  let state: CodeState = { at: 'coming' };
  let turn = Promise.resolve();

  function enter(next: CodeState): void {
    if (state.at === 'failed') return;
    state = next;
    onState(next);
  }
  function say(signal: CodeSignal): void {
    said.add(signal.kind);
    lastSaid = signal;
    send(signal);
  }
  const show = async (staff: string, patient: string, staffNonce: string, patientNonce: string) =>
    enter({ at: 'shown', words: await codeOf({ staff, patient, staffNonce, patientNonce }) });

  async function asStaff({ own, other }: Certificates): Promise<void> {
    if (!said.has('commit')) say({ kind: 'commit', hash: await commitmentTo(nonce, [own]) });
    if (!told.nonce || said.has('reveal')) return;
    say({ kind: 'reveal', nonce, fingerprints: [own] });
    await show(own, other, nonce, told.nonce.nonce);
  }
  async function asPatient({ own, other }: Certificates): Promise<void> {
    if (told.commit && !said.has('nonce')) say({ kind: 'nonce', nonce });
    if (!told.commit || !told.reveal || state.at !== 'coming') return;
    const shown = told.reveal;
    const isKept = (await commitmentTo(shown.nonce, shown.fingerprints)) === told.commit.hash;
    if (!isKept || shown.fingerprints.length !== 1 || shown.fingerprints[0] !== other) enter({ at: 'failed' });
    else await show(other, own, shown.nonce, nonce);
  }
  const goOn = () => {
    turn = turn.then(async () => {
      if (certificates && state.at !== 'failed') await (side === 'staff' ? asStaff : asPatient)(certificates);
    });
    return turn;
  };

  return {
    /** Binds the certificates of the connection. A different certificate later fails the verification. */
    bind(found: Certificates): Promise<void> {
      if (certificates && (certificates.own !== found.own || certificates.other !== found.other))
        enter({ at: 'failed' });
      if (certificates) return turn;
      certificates = found;
      return goOn();
    },
    /** Repeats the last signal, which may have been lost; a repetition has no effect on the receiver. */
    tellAgain(): void {
      if (lastSaid && state.at !== 'failed') send(lastSaid);
    },
    /**
     * Handles a signal of the other side; each kind counts once and in order, and a different signal of the same kind
     * is a forgery.
     */
    take(signal: CodeSignal): Promise<void> {
      const known = told[signal.kind];
      const isTurn =
        side === 'staff'
          ? signal.kind === 'nonce' && said.has('commit')
          : signal.kind === 'commit' || (signal.kind === 'reveal' && said.has('nonce'));
      if (known && JSON.stringify(known) !== JSON.stringify(signal)) enter({ at: 'failed' });
      if (known || !isTurn) return turn;
      Object.assign(told, { [signal.kind]: signal });
      return goOn();
    },
  };
}
