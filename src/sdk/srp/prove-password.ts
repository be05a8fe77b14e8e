import { type Client, call } from '../client.ts';
import { loadSecret } from '../device-secrets.ts';
import { UntrustedServerError } from '../errors.ts';
import { fromHex, toBytes, toHex, toInteger } from '../protocol/hex.ts';
import { isAcceptableKdf } from '../protocol/kdf.ts';
import { privateKey } from '../protocol/srp-hashes.ts';
import { checkPublicValue, finishExchange, startExchange } from './exchange.ts';
import { SUITE, stretchPassword } from './suite.ts';

/** Maximum length of a salt that a client accepts. */
const MAX_SALT_BYTES = 64;
const PROOF_BYTES = 32;

export type Proof = {
  identity: string;
  handshake: string;
  M1: string;
  /** @throws UntrustedServerError unless the service holds this password's verifier */
  checkServer: (M2: string) => void;
};

/**
 * Proves a password without sending it: the account's, or with `attempt` that of a sign-up.
 * @throws UntrustedServerError when the service's values are invalid
 */
export async function provePassword(client: Client, email: string, password: string, attempt?: string): Promise<Proof> {
  const secret = startExchange(SUITE);
  const A = toHex(toBytes(secret.A, SUITE.byteLength));
  const device = attempt ? { attempt } : await loadSecret(client, 'device', email);
  const body = { client_id: client.configuration.clientId, email, A, ...device };
  const response = await call(client, 'srpStart', body);
  const { identity, handshake, kdf } = response;
  const { salt, B } = validateServerValue(() => ({
    salt: fromHex(response.salt, MAX_SALT_BYTES),
    B: checkPublicValue(SUITE, toInteger(fromHex(response.B, SUITE.byteLength))),
  }));
  if (!validateServerValue(() => isAcceptableKdf(kdf))) throw untrusted('requires unsafe key derivation parameters');
  const x = privateKey(SUITE, identity, await stretchPassword(password, salt, kdf), salt);
  const { M1, isServerProof } = validateServerValue(() => finishExchange(SUITE, secret, { identity, salt, B }, x));
  return {
    identity,
    handshake,
    M1: toHex(M1),
    checkServer(M2) {
      if (!validateServerValue(() => isServerProof(fromHex(M2, PROOF_BYTES))))
        throw untrusted('cannot prove its identity');
    },
  };
}

function validateServerValue<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw untrusted('sent invalid values', error);
  }
}

const untrusted = (what: string, cause?: unknown) =>
  new UntrustedServerError('untrusted_server', `The server ${what}; it may not be the service. Do not continue.`, {
    cause,
  });
