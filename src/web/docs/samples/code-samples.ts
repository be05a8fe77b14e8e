import type { Call } from './call.ts';
import { curlOf } from './curl-of.ts';
import type { Samples } from './languages.ts';
import { pythonOf } from './python-of.ts';
import { typescriptOf } from './typescript-of.ts';

export const samplesOf = (call: Call): Samples => ({
  curl: curlOf(call),
  typescript: typescriptOf(call),
  python: pythonOf(call),
});

/** Where the reader finds the client secret. */
const SECRET = `export CLIENT_SECRET='…' # shown once, when made; a sandbox: client_secret of .run/card.json`;

/** The code at the top of a page that gets a token. */
export function tokenSamples(addresses: { baseUrl: string; tokenUrl: string; clientId: string }): Samples {
  const { baseUrl, tokenUrl, clientId } = addresses;
  return {
    curl: `${SECRET}
TOKEN=$(curl -s -u "${clientId}:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  ${tokenUrl} | jq -r .access_token)`,
    typescript: `// ${SECRET}
import { clientCredentials, createClient } from '@carelane/client';

const carelane = createClient({
  baseUrl: '${baseUrl}',
  tokens: clientCredentials({
    tokenUrl: '${tokenUrl}',
    clientId: '${clientId}',
    clientSecret: process.env.CLIENT_SECRET ?? '',
  }),
});`,
    python: `# ${SECRET}
# pip install requests; then: export TOKEN=$(python3 get_token.py)
import os

import requests

answer = requests.post(
    "${tokenUrl}",
    auth=("${clientId}", os.environ["CLIENT_SECRET"]),
    data={"grant_type": "client_credentials"},
    timeout=30,
)
answer.raise_for_status()
print(answer.json()["access_token"])`,
  };
}
