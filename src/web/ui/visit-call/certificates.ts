import type { Certificates } from './verification.ts';

type CertificateStats = RTCStats & { fingerprint: string; fingerprintAlgorithm: string };

const written = (algorithm: string, fingerprint: string) => `${algorithm.toLowerCase()} ${fingerprint.toUpperCase()}`;

/**
 * The only fingerprint that a description allows, for the line takes no certificate but one it names. A line that speaks of
 * a fingerprint in any other way than browsers do might be read by them all the same: then none is certain.
 */
function namedIn(sdp: string | undefined): string | null {
  const lines = (sdp ?? '').split(/[\r\n]+/).filter((line) => /^\s*a\s*=\s*fingerprint/i.test(line));
  const found = new Set(
    lines.map((line) => {
      const [, algorithm, fingerprint] = /^a=fingerprint:(\S+) (\S+)\s*$/.exec(line) ?? [];
      return algorithm && fingerprint ? written(algorithm, fingerprint) : null;
    }),
  );
  return found.size === 1 ? [...found][0]! : null;
}

/** What several ways of one line showed, as one: an honest line has one certificate on each side. */
const together = (found: CertificateStats[]): string =>
  [...new Set(found.map((one) => written(one.fingerprintAlgorithm, one.fingerprint)))].sort().join(', ');

/**
 * The certificates that the line was really negotiated with: as the browser's statistics tell, or, where it tells none of
 * them, as the descriptions in force name them. Null while there is no line.
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
  // A description that divides the line into several ways could have one of them end elsewhere.
  if (owns.length > 0) return { own: together(owns), other: together(others) };
  if (peer.connectionState !== 'connected') return null;
  const own = namedIn(peer.currentLocalDescription?.sdp);
  const other = namedIn(peer.currentRemoteDescription?.sdp);
  return own && other ? { own, other } : null;
}
