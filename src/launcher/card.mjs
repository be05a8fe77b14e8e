/** Creates the content of `.run/card.json`, for scripts. */
export function makeCard({ publicUrl, production, seeded, emulators, keys, servesPackages = false }) {
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
    ...(servesPackages && {
      packages: {
        auth_sdk: `${publicUrl}/packages/carelane-auth-sdk.tgz`,
        client: `${publicUrl}/packages/carelane-client.tgz`,
      },
    }),
    emulators,
    ...(!production && { test_sign_in: TEST_SIGN_IN }),
    // Never the operator's own keys, only the generated ones of the emulators.
    ...(emulators.stripe && {
      stripe: {
        ...{ url: emulators.stripe, secret_key: keys.STRIPE_SECRET_KEY, account },
        // URLs of the emulator only: its test clock and its simulated failures.
        ...{ clock: `${emulators.stripe}/_emulator/clock`, faults: `${emulators.stripe}/_emulator/faults` },
      },
    }),
    ...(emulators.acuity && {
      acuity: { url: emulators.acuity, user_id: keys.ACUITY_USER_ID, api_key: keys.ACUITY_API_KEY },
    }),
    ...(emulators.inbox && { inbox: { url: emulators.inbox, messages: `${emulators.inbox}/messages` } }),
  };
}

/**
 * A copy of `src/contract/test-addresses.ts`, which cannot be imported here: the launcher runs before packages are
 * installed.
 */
const TEST_SIGN_IN = {
  code: '424242',
  phone_numbers: '+13125550100 to +13125550199',
  emails: '@fixed-code.example.test',
};

/** The playground; its tokens are in the fragment, which is not sent to the server and not logged. */
const playgroundUrl = (publicUrl, { passwordless, credentials }) =>
  `${publicUrl}/playground#${new URLSearchParams({ passwordless, credentials })}`;

/** Prints the card for the user. */
export function printCard(card, { cardFile, total }) {
  const row = (label, value) => `  ${label.padEnd(18)}${value}`;
  const lines = [
    '',
    `Carelane is ready (${total} s). Ctrl-C ends everything.`,
    '',
    row('Portal', card.portal_url),
    ...card.staff.map(({ email, password, role }) => row(`  ${role.replace('_', ' ')}`, `${email}  ${password}`)),
    ...(card.playground_url ? [row('Playground', card.playground_url.split('#')[0])] : []),
    row('API', card.base_url),
    row('Token', card.auth_url),
    ...(card.client_id ? [row('  client id', card.client_id), row('  client secret', card.client_secret)] : []),
    ...Object.entries(card.configuration_tokens).map(([name, token]) => row(`  ${name}`, token)),
    ...Object.values(card.packages ?? {}).map((url, index) => row(index === 0 ? 'Packages' : '', `npm i ${url}`)),
    ...Object.entries(card.emulators).flatMap(([name, url]) => [
      row(`${name[0].toUpperCase()}${name.slice(1)} emulator`, url),
      ...(name === 'stripe'
        ? [
            row('  secret key', card.stripe.secret_key),
            row('  account', card.stripe.account),
            row('  clock', card.stripe.clock),
            row('  faults', card.stripe.faults),
          ]
        : []),
      ...(name === 'acuity' ? [row('  user id', card.acuity.user_id), row('  api key', card.acuity.api_key)] : []),
      ...(name === 'inbox' ? [row('  messages', `${card.inbox.messages}?to=&after=&wait=20`)] : []),
    ]),
    ...(card.test_sign_in
      ? [
          row('Test sign-ins', `${card.test_sign_in.phone_numbers}, any ${card.test_sign_in.emails}`),
          row('  their code', card.test_sign_in.code),
        ]
      : []),
    row('All of it', cardFile),
    '',
    ...(card.client_id ? ['Try', ...exampleCommands(card).map((line) => `  ${line}`), ''] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const exampleCommands = ({ client_id, client_secret, auth_url, base_url }) => [
  `TOKEN=$(curl -s -u ${client_id}:${client_secret} -d grant_type=client_credentials ${auth_url} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  `curl -s -H "Authorization: Bearer $TOKEN" ${base_url}/patients`,
  'npm run demo',
];
