/**
 * Holds addresses of the database to an encrypted way and a server that is known: in production unless DATABASE_TLS says
 * `off`, elsewhere only if it says `verify`. Nothing but `verify-full` is both in every version of the driver: what it
 * makes of `require` and `verify-ca` is about to change (https://www.postgresql.org/docs/current/libpq-ssl.html has what
 * they promise).
 * @param {{ CARELANE_ENV?: string, DATABASE_TLS?: string }} env
 * @param {Record<string, string | undefined>} addresses by the settings they stand in
 * @returns {string[]} one sentence a fault, without the address, which has a password in it
 */
export function databaseTlsFaults({ CARELANE_ENV, DATABASE_TLS }, addresses) {
  const wanted = DATABASE_TLS || (CARELANE_ENV === 'production' ? 'verify' : 'off');
  if (wanted === 'off') return [];
  return Object.entries(addresses)
    .filter(([, url]) => url && !asksToVerify(url))
    .map(
      ([name]) =>
        `${name} must say sslmode=verify-full (and sslrootcert=FILE for an authority of your own), or DATABASE_TLS=off that the way to the database is safe by itself.`,
    );
}

/** Of two, the driver and libpq may each take another one. */
function asksToVerify(url) {
  const modes = URL.canParse(url) ? new URL(url).searchParams.getAll('sslmode') : [];
  return modes.length === 1 && modes[0] === 'verify-full';
}
