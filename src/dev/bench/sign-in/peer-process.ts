/**
 * The peer: SRP with `fast-srp-hap` as in its README, behind plain node:http, with the same group and hash. Unlike ours
 * it has no database, encryption, rate limits, sessions or signed tokens.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SRP, SrpServer } from 'fast-srp-hap';
import { serveMessages } from '../start-process.ts';

type StoredAccount = { identity: string; salt: string; verifier: string };

const accounts = new Map<string, StoredAccount>();
const handshakes = new Map<string, SrpServer>();

async function start({ email, A }: { email: string; A: string }) {
  const { identity, salt, verifier } = accounts.get(email)!;
  const registration = { username: identity, salt: Buffer.from(salt, 'hex'), verifier: Buffer.from(verifier, 'hex') };
  const server = new SrpServer(SRP.params[3072], registration, await SRP.genKey(32));
  server.setA(Buffer.from(A, 'hex'));
  const handshake = randomBytes(16).toString('hex');
  handshakes.set(handshake, server);
  return { handshake, identity, salt, B: server.computeB().toString('hex') };
}

async function finish({ handshake, M1 }: { handshake: string; M1: string }) {
  const server = handshakes.get(handshake)!;
  handshakes.delete(handshake);
  server.checkM1(Buffer.from(M1, 'hex'));
  return { M2: server.computeM2().toString('hex') };
}

async function readJson(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const http = createServer(async (request, response) => {
  const body = await readJson(request);
  const result = await (request.url === '/srp/start' ? start(body) : finish(body));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
});

serveMessages(async ({ registrations }: { registrations: (StoredAccount & { email: string })[] }) => {
  for (const { email, ...registration } of registrations) accounts.set(email, registration);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
