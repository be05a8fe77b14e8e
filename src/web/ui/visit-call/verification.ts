import type { CallSide, CallSignal } from '#contract/visit-call.ts';
import { codeOf, commitmentTo, newNonce } from './short-code.ts';

/** What of the signals makes the code. */
export type CodeSignal = Extract<CallSignal, { kind: 'commit' | 'nonce' | 'reveal' }>;

/** `failed`: somebody stands between, or changed what was agreed; there is no code any more. */
export type CodeState = { at: 'coming' } | { at: 'shown'; words: string[] } | { at: 'failed' };

/** Of the certificates that the line was negotiated with: this side's, and the one that the other showed. */
export type Certificates = { own: string; other: string };

/**
 * The short code of one line, agreed as in RFC 6189 §4.4.1.1: staff tells a hash of its nonce and its certificate, then the
 * patient tells a nonce, then staff shows what was hashed. Each side speaks only once its own line stands, so whoever
 * stands between has bound both certificates, and its own nonces, before it knows the code of either side: one try in 2²⁰,
 * however many certificates it has made ready.
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
    /** The line stands, with these certificates. A line that shows another one later is not the one that was verified. */
    bind(found: Certificates): Promise<void> {
      if (certificates && (certificates.own !== found.own || certificates.other !== found.other))
        enter({ at: 'failed' });
      if (certificates) return turn;
      certificates = found;
      return goOn();
    },
    /** What was said last may have been lost on its way; said again it changes nothing. */
    tellAgain(): void {
      if (lastSaid && state.at !== 'failed') send(lastSaid);
    },
    /** What the other side tells; each kind counts once, in its turn, and another word for it is a forgery. */
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
