import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CallSide } from '#contract/visit-call.ts';
import {
  type Certificates,
  type CodeSignal,
  type CodeState,
  certificatesOf,
  commitmentTo,
  createVerification,
  newNonce,
  transcriptText,
  wordsOf,
} from './verification.ts';

const STAFF = 'sha-256 AA:01';
const PATIENT = 'sha-256 BB:02';

/** One participant as its browser runs it, with all the signals it sends. */
function sideOf(side: CallSide, certificates: Certificates) {
  const sent: CodeSignal[] = [];
  const latest: { state: CodeState } = { state: { at: 'coming' } };
  const verification = createVerification(side, {
    send: (signal) => sent.push(signal),
    onState: (state) => {
      latest.state = state;
    },
  });
  const code = () => (latest.state.at === 'shown' ? latest.state.words.join(' ') : latest.state.at);
  return { ...verification, certificates, sent, code };
}
type Side = ReturnType<typeof sideOf>;

/** Exchanges signals until both sides are silent; `change` simulates an attacker in between. */
async function exchange(staff: Side, patient: Side, change = (signal: CodeSignal, _from: CallSide) => signal) {
  const delivered = { staff: 0, patient: 0 };
  await Promise.all([staff.bind(staff.certificates), patient.bind(patient.certificates)]);
  while (delivered.staff < patient.sent.length || delivered.patient < staff.sent.length) {
    while (delivered.patient < staff.sent.length)
      await patient.receive(change(staff.sent[delivered.patient++]!, 'staff'));
    while (delivered.staff < patient.sent.length)
      await staff.receive(change(patient.sent[delivered.staff++]!, 'patient'));
  }
}

test('shows the same four words on both sides, and other words on another connection', async () => {
  const codes = new Set<string>();
  for (let line = 0; line < 20; line += 1) {
    const staff = sideOf('staff', { own: STAFF, other: PATIENT });
    const patient = sideOf('patient', { own: PATIENT, other: STAFF });
    await exchange(staff, patient);
    expect(staff.code().split(' ')).toHaveLength(4);
    expect(patient.code()).toBe(staff.code());
    expect(staff.sent.map(({ kind }) => kind)).toEqual(['commit', 'reveal']);
    codes.add(staff.code());
  }
  expect(codes.size).toBeGreaterThan(18);
});

test('detects a service that swaps certificates and forwards everything else', async () => {
  const staff = sideOf('staff', { own: STAFF, other: 'sha-256 CC:03' });
  const patient = sideOf('patient', { own: PATIENT, other: 'sha-256 DD:04' });
  await exchange(staff, patient);
  expect(patient.code()).toBe('failed');
});

test('shows different words when an attacker runs the exchange with each side separately', async () => {
  const middle = { toStaff: 'sha-256 CC:03', toPatient: 'sha-256 DD:04' };
  const staff = sideOf('staff', { own: STAFF, other: middle.toStaff });
  const patient = sideOf('patient', { own: PATIENT, other: middle.toPatient });
  await exchange(staff, sideOf('patient', { own: middle.toStaff, other: STAFF }));
  await exchange(sideOf('staff', { own: middle.toPatient, other: PATIENT }), patient);
  expect(staff.code()).not.toBe('coming');
  expect(patient.code()).not.toBe(staff.code());
});

test('sends the patient’s nonce only after staff has committed, and staff’s only after the patient is bound', async () => {
  const patient = sideOf('patient', { own: PATIENT, other: STAFF });
  await patient.bind(patient.certificates);
  expect(patient.sent).toEqual([]);
  const unbound = sideOf('patient', { own: PATIENT, other: STAFF });
  await unbound.receive({ kind: 'commit', hash: newNonce() });
  expect(unbound.sent).toEqual([]);

  const staff = sideOf('staff', { own: STAFF, other: PATIENT });
  // A nonce that was sent before the commitment was chosen without it, and is ignored.
  await staff.receive({ kind: 'nonce', nonce: newNonce() });
  await staff.bind(staff.certificates);
  expect(staff.sent.map(({ kind }) => kind)).toEqual(['commit']);
});

test.each(['nonce', 'fingerprints'] as const)(
  'fails when staff reveals another %s than it committed to',
  async (part) => {
    const staff = sideOf('staff', { own: STAFF, other: PATIENT });
    const patient = sideOf('patient', { own: PATIENT, other: STAFF });
    const swap = { nonce: { nonce: newNonce() }, fingerprints: { fingerprints: ['sha-256 EE:05'] } }[part];
    await exchange(staff, patient, (signal) => (signal.kind === 'reveal' ? { ...signal, ...swap } : signal));
    expect(patient.code()).toBe('failed');
  },
);

test('ignores a repeated signal, and fails for a different one or another certificate', async () => {
  const pair = () =>
    [sideOf('staff', { own: STAFF, other: PATIENT }), sideOf('patient', { own: PATIENT, other: STAFF })] as const;
  const [staff, patient] = pair();
  await exchange(staff, patient);
  await staff.receive(patient.sent[0]!);
  for (const signal of staff.sent) await patient.receive(signal);
  expect(patient.code()).toBe(staff.code());
  await staff.receive({ kind: 'nonce', nonce: newNonce() });
  expect(staff.code()).toBe('failed');
  await patient.bind({ own: PATIENT, other: 'sha-256 CC:03' });
  expect(patient.code()).toBe('failed');
});

test.each(['commit', 'nonce', 'reveal'] as const)('repeats a lost %s', async (lost) => {
  const staff = sideOf('staff', { own: STAFF, other: PATIENT });
  const patient = sideOf('patient', { own: PATIENT, other: STAFF });
  let isLost = false;
  const sender = lost === 'nonce' ? patient : staff;
  const deliver = async (from: Side, to: Side) => {
    for (const signal of from.sent.splice(0)) {
      if (signal.kind === lost && !isLost) isLost = true;
      else await to.receive(signal);
    }
  };
  const exchangeSignals = async () => {
    for (let round = 0; round < 3; round += 1) {
      await deliver(staff, patient);
      await deliver(patient, staff);
    }
  };
  await Promise.all([staff.bind(staff.certificates), patient.bind(patient.certificates)]);
  await exchangeSignals();
  expect(patient.code()).toBe('coming');
  sender.resend();
  await exchangeSignals();
  expect(patient.code().split(' ')).toHaveLength(4);
  expect(staff.code()).toBe(patient.code());
});

/** The number of certificates or nonces that an attacker has precomputed; a digest does not depend on their content. */
const PREPARED = 2 ** 20;
const certificateAt = (index: number): string => `sha-256 ${index.toString(16).padStart(8, '0')}`;
const nonceAt = (index: number): string => index.toString(16).padStart(64, '0');

const codeAt = (staff: string, patient: string, staffNonce: string, patientNonce: string): string =>
  wordsOf(createHash('sha256').update(transcriptText({ staff, patient, staffNonce, patientNonce })).digest()).join(' ');

/** Finds two precomputed values, one for each side, that give both sides the same words. */
function collide(toStaff: (index: number) => string, toPatient: (index: number) => string): [number, number] {
  const [ofStaff, ofPatient] = [new Map<string, number>(), new Map<string, number>()];
  for (let index = 0; index < PREPARED; index += 1) {
    ofStaff.set(toStaff(index), index);
    ofPatient.set(toPatient(index), index);
    const [patientAt, staffAt] = [ofPatient.get(toStaff(index)), ofStaff.get(toPatient(index))];
    if (patientAt !== undefined) return [index, patientAt];
    if (staffAt !== undefined) return [staffAt, index];
  }
  throw new Error('no prepared values collide');
}

/** The protocol without the commitment: each side sends its nonce as soon as it is connected. */
function openSideOf(side: CallSide, { own, other }: Certificates): Side {
  const nonce = newNonce();
  const sent: CodeSignal[] = [];
  let code = 'coming';
  return {
    certificates: { own, other },
    sent,
    code: () => code,
    bind: async () => void sent.push({ kind: 'nonce', nonce }),
    resend: () => undefined,
    receive: async (signal) => {
      if (signal.kind === 'commit') return;
      code = side === 'staff' ? codeAt(own, other, nonce, signal.nonce) : codeAt(other, own, signal.nonce, nonce);
    },
  };
}

/**
 * An attacker in between, with certificates that collide for the nonces that it guesses; once it has both nonces, it
 * searches for two nonces of its own that collide.
 * @returns true if both sides see the same words
 */
async function attack(create: typeof sideOf): Promise<boolean> {
  const [forStaff, forPatient] = [newNonce(), newNonce()];
  const [staffAt, patientAt] = collide(
    (index) => codeAt(STAFF, certificateAt(index), forStaff, forPatient),
    (index) => codeAt(certificateAt(index), PATIENT, forStaff, forPatient),
  );
  const [asPatient, asStaff] = [certificateAt(staffAt), certificateAt(patientAt)];
  const staff = create('staff', { own: STAFF, other: asPatient });
  const patient = create('patient', { own: PATIENT, other: asStaff });
  await staff.bind(staff.certificates);
  await patient.bind(patient.certificates);
  const receivedBy = (side: Side) =>
    side.sent.flatMap((signal) => (signal.kind === 'commit' ? [] : [signal.nonce])).at(0);
  let ownNonces: [toStaff: string, toPatient: string] = [forPatient, forStaff];
  const search = (ofStaff: string, ofPatient: string) => {
    const colliding = collide(
      (index) => codeAt(STAFF, asPatient, ofStaff, nonceAt(index)),
      (index) => codeAt(asStaff, PATIENT, nonceAt(index), ofPatient),
    );
    ownNonces = [nonceAt(colliding[0]), nonceAt(colliding[1])];
  };
  const [staffNonce, patientNonce] = [receivedBy(staff), receivedBy(patient)];
  if (staffNonce && patientNonce) search(staffNonce, patientNonce);
  await patient.receive({ kind: 'commit', hash: await commitmentTo(ownNonces[1], [asStaff]) });
  await staff.receive({ kind: 'nonce', nonce: ownNonces[0] });
  await patient.receive({ kind: 'reveal', nonce: ownNonces[1], fingerprints: [asStaff] });
  expect([staff.code(), patient.code()].filter((code) => code.split(' ').length !== 4)).toEqual([]);
  return staff.code() === patient.code();
}

const ROUNDS = 20;
const countWins = async (create: typeof sideOf): Promise<number> => {
  let winCount = 0;
  for (let round = 0; round < ROUNDS; round += 1) if (await attack(create)) winCount += 1;
  return winCount;
};

test('an attacker with 2²⁰ certificates makes both codes equal when nonces are sent without a commitment', async () => {
  expect(await countWins(openSideOf)).toBe(ROUNDS);
});

test('an attacker never makes both codes equal when staff commits first and reveals last', async () => {
  expect(await countWins(sideOf)).toBe(0);
});

type Stats = Record<string, unknown> & { id: string };

const certificate = (id: string, fingerprint = id): Stats => ({
  id,
  type: 'certificate',
  fingerprint,
  fingerprintAlgorithm: 'SHA-256',
});
const transport = (id: string, remoteCertificateId: string, dtlsState = 'connected'): Stats => ({
  ...{ id, type: 'transport', dtlsState, localCertificateId: 'aa:01', remoteCertificateId },
});
const certificatesFrom = (...stats: Stats[]) =>
  certificatesOf(
    { connectionState: 'new' } as RTCPeerConnection,
    new Map(stats.map((report) => [report.id, report])) as unknown as RTCStatsReport,
  );
const OWN = certificate('aa:01');
const HONEST = certificate('bb:02');

test('normalizes the certificates of the connection', () => {
  expect(certificatesFrom(OWN, HONEST, transport('T1', 'bb:02'))).toEqual({
    own: 'sha-256 AA:01',
    other: 'sha-256 BB:02',
  });
  expect(certificatesFrom(OWN, HONEST, transport('T1', 'bb:02'), transport('T2', 'bb:02'))).toEqual({
    own: 'sha-256 AA:01',
    other: 'sha-256 BB:02',
  });
  expect(certificatesFrom(OWN, HONEST, transport('T1', 'bb:02', 'connecting'))).toBeNull();
});

test('includes every certificate of a connection with several transports', () => {
  const split = certificatesFrom(OWN, HONEST, certificate('cc:03'), transport('T1', 'bb:02'), transport('T2', 'cc:03'));
  expect(split?.other).toBe('sha-256 BB:02, sha-256 CC:03');
});

const certificatesFromDescriptions = (local: string, remote: string) =>
  certificatesOf(
    {
      connectionState: 'connected',
      currentLocalDescription: { sdp: local },
      currentRemoteDescription: { sdp: remote },
    } as RTCPeerConnection,
    new Map() as unknown as RTCStatsReport,
  );
const LOCAL = 'v=0\r\na=fingerprint:sha-256 AA:01\r\n';
const REMOTE = 'v=0\r\na=fingerprint:sha-256 bb:02\r\nm=audio 9\r\n';

test('falls back to the descriptions when the statistics have no certificates', () => {
  expect(certificatesFromDescriptions(LOCAL, REMOTE)).toEqual({ own: 'sha-256 AA:01', other: 'sha-256 BB:02' });
});

test.each([
  'a=fingerprint:sha-256 CC:03',
  'a=Fingerprint:sha-256 CC:03',
  'a=fingerprint:sha-256  CC:03',
  'a=fingerprint: sha-256 CC:03',
  'a=fingerprint:sha-256\tCC:03',
  ' a=fingerprint:sha-256 CC:03',
])('returns null when a description has a second fingerprint, as in "%s"', (line) => {
  expect(certificatesFromDescriptions(LOCAL, `${REMOTE}${line}\r\n`)).toBeNull();
});
