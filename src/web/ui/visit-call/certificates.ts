import type { Certificates } from './verification.ts';

type CertificateStats = RTCStats & { fingerprint: string; fingerprintAlgorithm: string };

const written = (algorithm: string, fingerprint: string) => `${algorithm.toLowerCase()} ${fingerprint.toUpperCase()}`;

/**
 * The only fingerprint in a description; the connection accepts no other certificate. Null when a fingerprint line
 * deviates from the browsers' format, because a browser might still parse it.
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

/** Joins the fingerprints of several transports: an honest connection has one certificate per side. */
const together = (found: CertificateStats[]): string =>
  [...new Set(found.map((one) => written(one.fingerprintAlgorithm, one.fingerprint)))].sort().join(', ');

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
  if (owns.length > 0) return { own: together(owns), other: together(others) };
  if (peer.connectionState !== 'connected') return null;
  const own = namedIn(peer.currentLocalDescription?.sdp);
  const other = namedIn(peer.currentRemoteDescription?.sdp);
  return own && other ? { own, other } : null;
}
