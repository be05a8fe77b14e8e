import { execFile } from 'node:child_process';
import { createHash, createHmac, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { IceServer } from '#contract/visit-call.ts';
import { readConfig } from '#server/core/config.ts';
import { checkIceServer, type IceOutcome } from '#server/providers/check-ice-server.ts';
import { iceServers } from '#server/visits/ice-servers.ts';
import { testSettings } from './services.ts';
import { type Relay, startCoturn, TURN_SECRET } from './start-coturn.ts';

/** Lifetime of the credentials. */
const LAST_MS = 600_000;
const WITHIN_MS = 3000;
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const HERE_BY_IPV6 = '::1';
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === HERE_BY_IPV6);
const BY_IPV6 = hasIpv6 ? ['listening-ip', 'relay-ip'].map((name) => `${name}=${HERE_BY_IPV6}`) : [];
let relay: Relay;
let browser: Browser;
let site: Server;
/** The page code under test, as one script. */
let script: string;
beforeAll(async () => {
  relay = await startCoturn({ tls: true, more: BY_IPV6 });
  // Browsers give access to devices only on a page with an origin.
  site = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../web/ui/visit-call/network-path.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'trial',
    write: false,
  });
  script = outputFiles[0]!.text;
  const devices = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ];
  // No CA signed the relay's certificate, so the browser is configured to trust this one key.
  const trusted = `--ignore-certificate-errors-spki-list=${await keyHash(relay.certificate)}`;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', ...devices, trusted],
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await relay?.stop();
});

async function keyHash(certificate: string): Promise<string> {
  const { publicKey } = new X509Certificate(await readFile(certificate));
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
const inSeconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
function credentialsFor(username: string, secret = TURN_SECRET) {
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}
const check = (credentials: { username: string; credential: string }, url = relay.turnUrls[0]!) =>
  checkIceServer({ url, ...credentials }, WITHIN_MS);

/** Runs the check in a child process that trusts a certificate, which Node reads at startup. */
async function checkTrusting(certificate: string, server: Parameters<typeof checkIceServer>[0]): Promise<IceOutcome> {
  const program = `import { checkIceServer } from './src/server/providers/check-ice-server.ts';
    console.log(JSON.stringify(await checkIceServer(JSON.parse(process.argv[1]), ${WITHIN_MS})));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program, JSON.stringify(server)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } },
  );
  return JSON.parse(stdout);
}

describe('a real relay, configured as in the guide', () => {
  test('reports our public address', async () => {
    expect(await checkIceServer({ url: relay.stunUrl }, WITHIN_MS)).toMatchObject({
      works: true,
      address: expect.stringMatching(/^[\d.]+:\d+$/),
    });
  });

  test.each([0, 1])('accepts unexpired credentials of its secret, by UDP and by TCP (%i)', async (n) => {
    const response = await check(credentialsFor(`${inSeconds(60)}:seat`), relay.turnUrls[n]!);
    expect(response).toMatchObject({ works: true, address: expect.stringContaining(`${relay.host}:`) });
  });

  test('works by TLS for a client that trusts its certificate, and is unreachable for others', async () => {
    const server = { url: relay.turnUrls[2]!, ...credentialsFor(`${inSeconds(60)}:seat`) };
    expect(server.url).toMatch(/^turns:/);
    expect(await checkTrusting(relay.certificate, server)).toMatchObject({
      works: true,
      address: expect.stringContaining(`${relay.host}:`),
      open: [],
    });
    expect(await check(server, server.url)).toMatchObject({ works: false, why: 'no_answer' });
  });

  test.runIf(hasIpv6).each(['udp', 'tcp'])(
    'works by IPv6 and %s, and relays to no internal address',
    async (transport) => {
      const url = `turn:[${HERE_BY_IPV6}]:${relay.port}?transport=${transport}`;
      expect(await check(credentialsFor(`${inSeconds(60)}:seat`), url)).toMatchObject({ works: true, open: [] });
      const stun = await checkIceServer({ url: `stun:[${HERE_BY_IPV6}]:${relay.port}` }, WITHIN_MS);
      expect(stun).toMatchObject({ works: true, address: expect.stringContaining(`[${HERE_BY_IPV6}]:`) });
    },
  );

  test.runIf(hasIpv6)(
    'is reported as open when it relays to an internal IPv6 address, over either family',
    async () => {
      const open = ['allow-loopback-peers', `allowed-peer-ip=${HERE_BY_IPV6}`];
      const careless = await startCoturn({ more: [...BY_IPV6, ...open] });
      onTestFinished(() => careless.stop());
      for (const url of [careless.turnUrls[0]!, `turn:[${HERE_BY_IPV6}]:${careless.port}`])
        expect(await check(credentialsFor(`${inSeconds(60)}:seat`), url)).toMatchObject({
          works: true,
          open: [HERE_BY_IPV6],
        });
    },
  );

  test('relays to no internal address: itself, its neighbours or cloud metadata', async () => {
    expect(await check(credentialsFor(`${inSeconds(60)}:seat`))).toMatchObject({ works: true, open: [] });
  });

  test.each([
    ['over', () => credentialsFor(`${inSeconds(-5)}:seat`)],
    ['of another secret', () => credentialsFor(`${inSeconds(60)}:seat`, 'the-secret-of-another-relay')],
    [
      'with an end put off by hand',
      () => ({ ...credentialsFor(`${inSeconds(60)}:seat`), username: `${inSeconds(3600)}:seat` }),
    ],
    ['of another seat', () => ({ ...credentialsFor(`${inSeconds(60)}:seat`), username: `${inSeconds(60)}:other` })],
    ['without an end', () => credentialsFor('seat')],
    ['that are empty', () => ({ username: '', credential: '' })],
  ])('rejects credentials %s', async (_, credentials) => {
    expect(await check(credentials())).toMatchObject({ works: false, why: 'refused', code: 401 });
  });
});

/** A page's call that may use the relay only. */
type Side = { connection: RTCPeerConnection; candidates: RTCIceCandidateInit[]; errors: number[] };
declare global {
  var side: Side;
  var trial: typeof import('../../web/ui/visit-call/network-path.ts');
}

/** Opens a page with camera and microphone, and a connection that may go only through the relay. */
async function openSide(iceServers: RTCIceServer[]): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await page.evaluate(async (servers) => {
    const connection = new RTCPeerConnection({ iceServers: servers, iceTransportPolicy: 'relay' });
    globalThis.side = { connection, candidates: [], errors: [] };
    const stream = await navigator.mediaDevices.getUserMedia({ video: true, audio: true });
    for (const track of stream.getTracks()) connection.addTrack(track, stream);
    // A track that is not played is not decoded.
    connection.addEventListener('track', ({ track }) => {
      const player = new Audio();
      player.srcObject = new MediaStream([track]);
      document.body.append(player);
      void player.play();
    });
    connection.addEventListener('icecandidateerror', ({ errorCode }) => void side.errors.push(errorCode));
  }, iceServers);
  return page;
}

/** Returns the local description once ICE gathering is complete. */
const described = (page: Page, other?: RTCSessionDescriptionInit) =>
  page.evaluate(async (remote) => {
    const { connection } = side;
    if (remote) await connection.setRemoteDescription(remote);
    await connection.setLocalDescription();
    while (connection.iceGatheringState !== 'complete') await new Promise((resolve) => setTimeout(resolve, 20));
    return connection.localDescription!.toJSON() as RTCSessionDescriptionInit;
  }, other);

/** Returns the received frames and audio energy, and the types of the selected candidates. */
const received = (page: Page) =>
  page.evaluate(async () => {
    const all = [...(await side.connection.getStats()).values()];
    const inbound = all.filter(({ type }) => type === 'inbound-rtp');
    const pair = all.find(
      ({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded',
    );
    return {
      frames: inbound.find(({ kind }) => kind === 'video')?.framesDecoded ?? 0,
      energy: inbound.find(({ kind }) => kind === 'audio')?.totalAudioEnergy ?? 0,
      ways: pair
        ? [pair.localCandidateId, pair.remoteCandidateId].map((id) => all.find((one) => one.id === id)?.candidateType)
        : [],
      toRelay: pair && (all.find((one) => one.id === pair.localCandidateId)?.relayProtocol as string | undefined),
    };
  });

describe('two browsers that may talk only through the relay', () => {
  const settings = () => readConfig(testSettings({ url: 'postgresql://unused@localhost/none' }, relay.settings));
  const serversFor = (seat: string) =>
    iceServers({ config: settings(), clock: { now: () => new Date() } }, seat, LAST_MS);

  /** Calls until both see and hear each other. @returns the protocol of each to the relay */
  async function call(servers: IceServer[][]): Promise<(string | undefined)[]> {
    const [caller, called] = [await openSide(servers[0]!), await openSide(servers[1]!)];
    const answer = await described(called, await described(caller));
    await caller.evaluate((remote) => side.connection.setRemoteDescription(remote), answer);
    for (const page of [caller, called]) {
      await expect.poll(async () => (await received(page)).frames, { timeout: 15_000 }).toBeGreaterThan(10);
      await expect.poll(async () => (await received(page)).energy, { timeout: 15_000 }).toBeGreaterThan(0);
      expect((await received(page)).ways).toContain('relay');
    }
    const reached = await Promise.all([caller, called].map(async (page) => (await received(page)).toRelay));
    for (const page of [caller, called]) await page.context().close();
    return reached;
  }

  test('see and hear each other with the service’s credentials', async () => {
    await call([serversFor('seat-1'), serversFor('seat-2')]);
  });

  test('see and hear each other when only TLS is allowed', async () => {
    const byTls = (seat: string) => [{ ...serversFor(seat).at(-1)!, urls: [relay.turnUrls[2]!] }];
    expect(await call([byTls('seat-1'), byTls('seat-2')])).toEqual(['tls', 'tls']);
  });

  test.each([
    ['over', () => ({ ...serversFor('seat-1').at(-1)!, ...credentialsFor(`${inSeconds(-5)}:seat`) })],
    [
      'forged',
      () => ({
        ...serversFor('seat-1').at(-1)!,
        ...credentialsFor(`${inSeconds(60)}:seat`, 'the-secret-of-another-relay'),
      }),
    ],
  ])('find no candidate with credentials that are %s', async (_, server) => {
    const page = await openSide([server()]);
    const { sdp } = await described(page);
    expect(sdp).not.toContain('a=candidate');
    expect(await page.evaluate(() => side.errors)).toContain(401);
    await page.context().close();
  });
});

describe('the pages’ own check of the relay', () => {
  const serversFor = () =>
    iceServers(
      {
        config: readConfig(testSettings({ url: 'postgresql://unused@localhost/none' }, relay.settings)),
        clock: { now: () => new Date() },
      },
      'check',
      LAST_MS,
    );
  async function inPage<T>(run: (page: Page) => Promise<T>): Promise<T> {
    const page = await openSide([]);
    await page.evaluate(`${script}; globalThis.trial = trial`);
    const response = await run(page);
    await page.context().close();
    return response;
  }

  test('reports a round trip and how the browser is reached', async () => {
    const [tried, way, alone] = await inPage((page) =>
      page.evaluate(
        async (servers) =>
          [await trial.tryRelay(servers), await trial.tryWay(servers), await trial.tryWay([])] as const,
        serversFor(),
      ),
    );
    expect(tried.works).toBe(true);
    if (process.env.PROVE) expect(tried.tookMs).toBeLessThan(2000);
    expect([way, alone]).toEqual(['direct', 'unknown']);
  });

  test('reports a network that allows only TCP, or nothing', async () => {
    const [, turn] = serversFor();
    const byTcp = [{ ...turn!, urls: [relay.turnUrls[1]!] }];
    const forged = [{ ...turn!, urls: [relay.turnUrls[1]!], credential: 'forged' }];
    const ways = await inPage((page) =>
      page.evaluate(async (all) => [await trial.tryWay(all[0]!), await trial.tryWay(all[1]!)], [byTcp, forged]),
    );
    expect(ways).toEqual(['relay', 'none']);
  });

  test('reports a failure with forged credentials', async () => {
    const forged = serversFor().map((server) => ({ ...server, ...(server.credential && { credential: 'forged' }) }));
    const tried = await inPage((page) => page.evaluate((servers) => trial.tryRelay(servers), forged));
    expect(tried).toEqual({ works: false, tookMs: 0 });
  });
});
