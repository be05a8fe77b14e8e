/** What scripts read: `.run/card.json`. */
export function makeCard({ publicUrl, seeded, emulators, stripeKey }) {
  const { client_id, client_secret, staff = [], configuration_tokens = {}, stripe_account: account } = seeded;
  return {
    base_url: `${publicUrl}/api/v1`,
    auth_url: `${publicUrl}/identity/oauth2/token`,
    portal_url: publicUrl,
    client_id,
    client_secret,
    staff,
    configuration_tokens,
    ...(configuration_tokens.passwordless && { playground_url: playgroundUrl(publicUrl, configuration_tokens) }),
    emulators,
    // Never a key of somebody's own: only the made-up one of the emulator.
    ...(emulators.stripe && { stripe: { url: emulators.stripe, secret_key: stripeKey, account } }),
  };
}

/** The patient's app to look at; its tokens stand in the fragment, which no server or log sees. */
const playgroundUrl = (publicUrl, { passwordless, credentials }) =>
  `${publicUrl}/playground#${new URLSearchParams({ passwordless, credentials })}`;

/** What people read. */
export function printCard(card, { cardFile, total }) {
  const row = (label, value) => `  ${label.padEnd(18)}${value}`;
  const lines = [
    '',
    `Carelane is ready (${total} s). Ctrl-C ends everything.`,
    '',
    row('Portal', card.portal_url),
    ...card.staff.map(({ email, password, role }) => row(`  ${role}`, `${email}  ${password}`)),
    ...(card.playground_url ? [row('Playground', card.playground_url.split('#')[0])] : []),
    row('API', card.base_url),
    row('Token', card.auth_url),
    ...(card.client_id ? [row('  client id', card.client_id), row('  client secret', card.client_secret)] : []),
    ...Object.entries(card.configuration_tokens).map(([name, token]) => row(`  ${name}`, token)),
    ...Object.entries(card.emulators).flatMap(([name, url]) => [
      row(`${name[0].toUpperCase()}${name.slice(1)} emulator`, url),
      ...(name === 'stripe'
        ? [row('  secret key', card.stripe.secret_key), row('  account', card.stripe.account)]
        : []),
    ]),
    row('All of it', cardFile),
    '',
    ...(card.client_id ? ['Try', ...tries(card).map((line) => `  ${line}`), ''] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const tries = ({ client_id, client_secret, auth_url, base_url }) => [
  `TOKEN=$(curl -s -u ${client_id}:${client_secret} -d grant_type=client_credentials ${auth_url} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  `curl -s -H "Authorization: Bearer $TOKEN" ${base_url}/patients`,
  'npm run demo',
];
