import { expect, test } from 'vitest';
import { certificatesOf } from './certificates.ts';

type Stats = Record<string, unknown> & { id: string };

const certificate = (id: string, fingerprint = id): Stats => ({
  id,
  type: 'certificate',
  fingerprint,
  fingerprintAlgorithm: 'SHA-256',
});
const way = (id: string, remoteCertificateId: string, dtlsState = 'connected'): Stats => ({
  ...{ id, type: 'transport', dtlsState, localCertificateId: 'aa:01', remoteCertificateId },
});
const found = (...stats: Stats[]) =>
  certificatesOf(
    { connectionState: 'new' } as RTCPeerConnection,
    new Map(stats.map((one) => [one.id, one])) as unknown as RTCStatsReport,
  );
const OWN = certificate('aa:01');
const HONEST = certificate('bb:02');

test('normalizes the certificates of the connection', () => {
  expect(found(OWN, HONEST, way('T1', 'bb:02'))).toEqual({ own: 'sha-256 AA:01', other: 'sha-256 BB:02' });
  expect(found(OWN, HONEST, way('T1', 'bb:02'), way('T2', 'bb:02'))).toEqual({
    own: 'sha-256 AA:01',
    other: 'sha-256 BB:02',
  });
  expect(found(OWN, HONEST, way('T1', 'bb:02', 'connecting'))).toBeNull();
});

test('includes every certificate of a connection with several transports', () => {
  const divided = found(OWN, HONEST, certificate('cc:03'), way('T1', 'bb:02'), way('T2', 'cc:03'));
  expect(divided?.other).toBe('sha-256 BB:02, sha-256 CC:03');
});

const described = (local: string, remote: string) =>
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
  expect(described(LOCAL, REMOTE)).toEqual({ own: 'sha-256 AA:01', other: 'sha-256 BB:02' });
});

test.each([
  'a=fingerprint:sha-256 CC:03',
  'a=Fingerprint:sha-256 CC:03',
  'a=fingerprint:sha-256  CC:03',
  'a=fingerprint: sha-256 CC:03',
  'a=fingerprint:sha-256\tCC:03',
  ' a=fingerprint:sha-256 CC:03',
])('returns null when a description has a second fingerprint, as in "%s"', (line) => {
  expect(described(LOCAL, `${REMOTE}${line}\r\n`)).toBeNull();
});
