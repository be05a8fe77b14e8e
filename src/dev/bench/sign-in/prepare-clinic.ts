import { Agent } from 'node:http';
import { KDF } from '#sdk/protocol/kdf.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { publicClients } from '#server/identity/applications/public-client.ts';
import { registrationColumns } from '#server/identity/srp/verifier.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import type { BenchSetup } from '../world.ts';
import { postJson } from './post-json.ts';
import { type Account, beginExchange, hexOf, makeAccount, proveExchange } from './srp-client.ts';

async function addPatient(ctx: Context, { email, identity, salt, v }: Account): Promise<void> {
  const { db, tenantId } = ctx;
  const id = newId();
  await db.patient.create({ data: { id, tenantId, email, emailVerified: true, canSignIn: true } });
  const registration = registrationColumns(ctx, id, { identity, salt, verifier: hexOf(v), kdf: KDF });
  await db.patientSignIn.create({ data: { tenantId, patientId: id, confirmedAt: new Date(), ...registration } });
}

async function signIn(url: string, clientId: string, account: Account): Promise<string> {
  const agent = new Agent();
  const first = beginExchange(account);
  const body = { client_id: clientId, email: account.email, A: first.hexA };
  const started = await postJson(agent, `${url}/srp/start`, body);
  const { M1 } = proveExchange(first, started);
  const tokens = await postJson(agent, `${url}/srp/finish`, { handshake: started.handshake, M1 });
  return tokens.access_token;
}

/** Creates a clinic whose patients have passwords. @returns their app's client id, the accounts and one access token */
export async function prepareClinic({ services, url }: Pick<BenchSetup, 'services' | 'url'>, patients: number) {
  const { id: tenantId } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, tenantId, 'bench');
  const { credentials: clientId } = await publicClients(ctx);
  const accounts = Array.from({ length: patients }, (_, index) => makeAccount(`patient${index}@example.test`));
  for (const account of accounts) await addPatient(ctx, account);
  return { clientId, accounts, token: await signIn(`${url}/identity/credentials`, clientId, accounts[0]!) };
}
