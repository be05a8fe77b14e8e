import type { CallSide, CallSignal } from '#contract/visit-call.ts';
import { codeOf, commitmentTo, newNonce } from './short-code.ts';

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
