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
    const offset = word * BITS_OF_WORD;
    return WORDS[Number.parseInt(bits.slice(offset, offset + BITS_OF_WORD), 2)]!;
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
  const received: { [Kind in CodeSignal['kind']]?: Extract<CodeSignal, { kind: Kind }> } = {};
  const sent = new Set<CodeSignal['kind']>();
  let lastSent: CodeSignal | null = null;
  let certificates: Certificates | null = null;
  let state: CodeState = { at: 'coming' };
  let lastStep = Promise.resolve();

  function setState(next: CodeState): void {
    if (state.at === 'failed') return;
    state = next;
    onState(next);
  }
  function sendSignal(signal: CodeSignal): void {
    sent.add(signal.kind);
    lastSent = signal;
    send(signal);
  }
  const show = async (staff: string, patient: string, staffNonce: string, patientNonce: string) =>
    setState({ at: 'shown', words: await codeOf({ staff, patient, staffNonce, patientNonce }) });

  async function asStaff({ own, other }: Certificates): Promise<void> {
    if (!sent.has('commit')) sendSignal({ kind: 'commit', hash: await commitmentTo(nonce, [own]) });
    if (!received.nonce || sent.has('reveal')) return;
    sendSignal({ kind: 'reveal', nonce, fingerprints: [own] });
    await show(own, other, nonce, received.nonce.nonce);
  }
  async function asPatient({ own, other }: Certificates): Promise<void> {
    if (received.commit && !sent.has('nonce')) sendSignal({ kind: 'nonce', nonce });
    if (!received.commit || !received.reveal || state.at !== 'coming') return;
    const reveal = received.reveal;
    const matchesCommitment = (await commitmentTo(reveal.nonce, reveal.fingerprints)) === received.commit.hash;
    if (!matchesCommitment || reveal.fingerprints.length !== 1 || reveal.fingerprints[0] !== other)
      setState({ at: 'failed' });
    else await show(other, own, reveal.nonce, nonce);
  }
  const advance = () => {
    lastStep = lastStep.then(async () => {
      if (certificates && state.at !== 'failed') await (side === 'staff' ? asStaff : asPatient)(certificates);
    });
    return lastStep;
  };

  return {
    /** Binds the certificates of the connection. A different certificate later fails the verification. */
    bind(negotiated: Certificates): Promise<void> {
      if (certificates && (certificates.own !== negotiated.own || certificates.other !== negotiated.other))
        setState({ at: 'failed' });
      if (certificates) return lastStep;
      certificates = negotiated;
      return advance();
    },
    /** Repeats the last signal, which may have been lost; a repetition has no effect on the receiver. */
    resend(): void {
      if (lastSent && state.at !== 'failed') send(lastSent);
    },
    /**
     * Handles a signal of the other side; each kind counts once and in order, and a different signal of the same kind
     * is a forgery.
     */
    receive(signal: CodeSignal): Promise<void> {
      const earlier = received[signal.kind];
      const isExpected =
        side === 'staff'
          ? signal.kind === 'nonce' && sent.has('commit')
          : signal.kind === 'commit' || (signal.kind === 'reveal' && sent.has('nonce'));
      if (earlier && JSON.stringify(earlier) !== JSON.stringify(signal)) setState({ at: 'failed' });
      if (earlier || !isExpected) return lastStep;
      Object.assign(received, { [signal.kind]: signal });
      return advance();
    },
  };
}

type CertificateStats = RTCStats & { fingerprint: string; fingerprintAlgorithm: string };

const fingerprintText = (algorithm: string, fingerprint: string) =>
  `${algorithm.toLowerCase()} ${fingerprint.toUpperCase()}`;

/**
 * The only fingerprint in a description; the connection accepts no other certificate. Null when a fingerprint line
 * deviates from the browsers' format, because a browser might still parse it.
 */
function fingerprintIn(sdp: string | undefined): string | null {
  const lines = (sdp ?? '').split(/[\r\n]+/).filter((line) => /^\s*a\s*=\s*fingerprint/i.test(line));
  const fingerprints = new Set(
    lines.map((line) => {
      const [, algorithm, fingerprint] = /^a=fingerprint:(\S+) (\S+)\s*$/.exec(line) ?? [];
      return algorithm && fingerprint ? fingerprintText(algorithm, fingerprint) : null;
    }),
  );
  const [first = null] = fingerprints;
  return fingerprints.size === 1 ? first : null;
}

/** Joins the fingerprints of several transports: an honest connection has one certificate per side. */
const joinFingerprints = (certificates: CertificateStats[]): string =>
  [
    ...new Set(
      certificates.map((certificate) => fingerprintText(certificate.fingerprintAlgorithm, certificate.fingerprint)),
    ),
  ]
    .sort()
    .join(', ');

/**
 * The certificates that the connection was negotiated with: from the browser's statistics or, if these have none, from
 * the current descriptions. Null while there is no connection.
 */
export function certificatesOf(peer: RTCPeerConnection, stats: RTCStatsReport): Certificates | null {
  const of = (id: string | undefined) => (id ? (stats.get(id) as CertificateStats | undefined) : undefined);
  const [owns, others]: [CertificateStats[], CertificateStats[]] = [[], []];
  for (const transport of stats.values() as IterableIterator<RTCTransportStats>) {
    if (transport.type !== 'transport' || transport.dtlsState !== 'connected') continue;
    const [own, other] = [of(transport.localCertificateId), of(transport.remoteCertificateId)];
    if (!own || !other) continue;
    owns.push(own);
    others.push(other);
  }
  // A description that splits the connection into several transports could have one end at an attacker.
  if (owns.length > 0) return { own: joinFingerprints(owns), other: joinFingerprints(others) };
  if (peer.connectionState !== 'connected') return null;
  const own = fingerprintIn(peer.currentLocalDescription?.sdp);
  const other = fingerprintIn(peer.currentRemoteDescription?.sdp);
  return own && other ? { own, other } : null;
}
