/**
 * Requires an encrypted connection to a verified database server: in production unless DATABASE_TLS is `off`, elsewhere
 * only if it is `verify`. Only `verify-full` guarantees both in every version of the driver: its meaning of `require`
 * and `verify-ca` is about to change (https://www.postgresql.org/docs/current/libpq-ssl.html).
 * @param {{ CARELANE_ENV?: string, DATABASE_TLS?: string }} env
 * @param {Record<string, string | undefined>} addresses by the name of their setting
 * @returns {string[]} one sentence per fault, without the address, which contains a password
 */
export function databaseTlsFaults({ CARELANE_ENV, DATABASE_TLS }, addresses) {
  const wanted = DATABASE_TLS || (CARELANE_ENV === 'production' ? 'verify' : 'off');
  if (wanted === 'off') return [];
  return Object.entries(addresses)
    .filter(([, url]) => url && !requiresVerification(url))
    .map(
      ([name]) =>
        `${name} must say sslmode=verify-full (and sslrootcert=FILE for an authority of your own), or DATABASE_TLS=off that the way to the database is safe by itself.`,
    );
}

/** With two `sslmode` parameters, the driver and libpq may each use a different one. */
function requiresVerification(url) {
  const modes = URL.canParse(url) ? new URL(url).searchParams.getAll('sslmode') : [];
  return modes.length === 1 && modes[0] === 'verify-full';
}
